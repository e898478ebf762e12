"""Slurm's hostlist grammar, both ways: `dgx-[001-127]` to names, names to `dgx-[001-127]`, and a name's slot in it.

Takes text or names. Gives names in Slurm's own order, folded text, sort keys, slots. Every fault is a `HostlistError` that
knows its position in the text. This is also the gate that keeps anything but host names out of every artifact: no name
with white space, quotes, `;`, `/`, `$` or `..` passes `expand` or `fold`.

Source of grammar, order and limits: Slurm's `hostlist.c`, and `scontrol show hostnames` of 22.05.8 and 25.11.7 (measured).
Where Slurm repairs silently (`a,,b`, `a[1-3`, `a[ 1]`), this module refuses: a repaired host list is a wrong host list.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod

MAX_HOSTS = 65_536
"""Hosts in one range, and nodes in one cluster. Source: Slurm's MAX_RANGE and MAX_SLURM_NODES, both 64k."""
MAX_TAIL_DIGITS = 18
"""Digits that may end a name: Slurm reads them as one uint64 and silently rewrites longer ones (measured, 22.05.8)."""
MAX_LABEL = 63
"""Characters between two dots (RFC 1123 section 2.1, RFC 1035 section 2.3.4)."""
MAX_NAME = 253
"""Characters of a whole name (RFC 1035 section 2.3.4: 255 octets on the wire)."""

_DIGITS = "0123456789"
_LITERAL = re.compile(r"[^,\[\]]*")
_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?")
_STRANGE = re.compile(r"[^A-Za-z0-9_.-]")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_PIECES = re.compile(r"([0-9]+)")


class HostlistError(ValueError):
    """A host list that cannot be read. `offset` counts characters from 0; `hint` says what to write instead."""

    def __init__(self, message: str, offset: int = 0, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.hint = hint


@dataclass(frozen=True, slots=True)
class _Range:
    low: int
    high: int
    width: int


@dataclass(frozen=True, slots=True)
class _Item:
    """`r[1-2]n[01-18]-ib`: one more literal than brackets; the last literal is the text after the last bracket."""

    offset: int
    literals: tuple[str, ...]
    brackets: tuple[tuple[_Range, ...], ...]

    def count(self) -> int:
        return prod(sum(r.high - r.low + 1 for r in ranges) for ranges in self.brackets)


def expand(text: str, limit: int = MAX_HOSTS) -> list[str]:
    """The names of a host list, in Slurm's order, repeats kept.

    With several brackets the last one runs fastest, then the first, then the second: `a[1-2]b[1-2]c[1-2]` begins
    a1b1c1 a1b1c2 a2b1c1. Text after the last bracket is accepted (see `has_suffix`: Slurm refuses it before 23.11).
    Raises `HostlistError` for anything that is no host list, and for more than `limit` names in all.
    """
    return [name for item in _bounded(text, limit) for name in _names(item)]


def has_suffix(text: str) -> bool:
    """Whether some item has text after its last bracket (`n[1-2]-ib`): an error for Slurm before 23.11."""
    return any(item.brackets and item.literals[-1] for item in _parse(text))


def slots(text: str, limit: int = MAX_HOSTS) -> list[tuple[str, int]]:
    """Each name with its slot: its place in the written range, counted from 1, holes included. Order as in `expand`.

    - One bracket: slot = number - lowest number of the bracket + 1, so `dgx-[001-004,006-127]` gives dgx-006 slot 6 and
      nobody slot 5. The item takes as many slots as its bracket spans (here 127).
    - A plain name takes one slot.
    - Items follow one another: an item begins after the last slot of the item before it, so b1 of `a[1-4],b[1-4]` has 5.
    - Several brackets count like digits, the last one fastest, each over its whole span: `r[1-2]n[1-18]` gives r2n1 slot 19.

    Raises `HostlistError` where two names are equal or fall on one slot (`n[1,01]`), and for more than `limit` slots.
    """
    holders: dict[int, str] = {}
    places: dict[str, int] = {}
    end = 0
    for item in _bounded(text, limit):
        size = prod(_spans(item))
        if end + size > limit:
            hint = "write one item per run of numbers: `x[100001-100018],x[201001-201018]`"
            raise HostlistError(f"the numbers span {end + size} slots, more than {limit}", item.offset, hint)
        for name, place in zip(_names(item), _places(item), strict=True):
            slot = end + 1 + place
            if name in places:
                raise HostlistError(f"{name} is written twice", item.offset, "write each host once")
            if slot in holders:
                other = holders[slot]
                raise HostlistError(f"{other} and {name} have the same number", item.offset, "write all numbers with one width")
            places[name], holders[slot] = slot, name
        end += size
    return list(places.items())


def fold(names: Iterable[str]) -> str:
    """The shortest host list of a set of names: naturally sorted, at most one bracket a name, at its end.

    Widths as Slurm: `n9 n10` is `n[9-10]`, `n09 n10` is `n[09-10]`, numbers of other widths stand apart. Repeats are
    dropped, no names give an empty text. `expand` and `scontrol show hostnames` read the same set back.
    Raises `HostlistError` (offset 0) where a name is no host name.
    """
    pieces: list[tuple[str, str]] = []
    for stem, tails in _stems(list(names)).items():
        widths = set(map(len, tails))
        check_name(stem + "1" * max(widths))
        if 0 in widths:
            check_name(stem)
            pieces.append((stem, stem))
            tails.remove("")
            widths.remove(0)
        ranges = _ranges(tails, widths)
        if len(tails) == 1:
            pieces.append((stem + ranges[0], stem + ranges[0]))
        elif tails:
            pieces.append((stem + ranges[0].partition("-")[0], f"{stem}[{','.join(ranges)}]"))
    return ",".join(text for _, text in sorted(pieces, key=lambda piece: natural_key(piece[0])))


def natural_key(name: str) -> tuple[tuple[str | int, ...], str]:
    """Sorts n2 before n10; names that differ only in leading zeros stay apart and in a fixed order."""
    pieces = _PIECES.split(name)
    return tuple(int(piece) if i % 2 else piece for i, piece in enumerate(pieces)), name


def check_name(name: str, offset: int = 0) -> None:
    """Raises `HostlistError` unless `name` is one host name: letters, digits, `-`, `_` and dots (RFC 1123 plus `_`)."""
    if not _NAME.fullmatch(name):
        if strange := _STRANGE.search(name):
            raise _strange(name, strange.start(), offset)
        if not name:
            raise HostlistError("a host name is empty", offset, "remove the extra comma, or write a host name")
        hint = "each part between dots begins with a letter or digit and ends with one (or `_`)"
        raise HostlistError(f"`{name}` is no host name", offset, hint)
    if len(name) > MAX_LABEL and (len(name) > MAX_NAME or max(map(len, name.split("."))) > MAX_LABEL):
        hint = f"RFC 1123 allows {MAX_LABEL} characters between dots and {MAX_NAME} in all"
        raise HostlistError(f"host name of {len(name)} characters is too long", offset, hint)
    if len(name) > MAX_TAIL_DIGITS and (digits := len(name) - len(name.rstrip(_DIGITS))) > MAX_TAIL_DIGITS:
        hint = f"end the name in at most {MAX_TAIL_DIGITS} digits, or in a letter: Slurm rewrites longer numbers"
        raise HostlistError(f"host name ends in {digits} digits", offset, hint)


def _stems(names: list[str]) -> dict[str, set[str]]:
    """The digits that end the names, by what stands before them."""
    heads = [name.rstrip(_DIGITS) for name in names]
    if len(set(heads)) == 1:
        cut = len(heads[0])
        return {heads[0]: {name[cut:] for name in names}}
    stems: defaultdict[str, set[str]] = defaultdict(set)
    for head, name in zip(heads, names, strict=True):
        stems[head].add(name[len(head) :])
    return stems


def _ranges(tails: set[str], widths: set[int]) -> list[str]:
    """Digit strings as few ranges as possible, by number, then width. `10` may follow `09` or `9`, whichever saves a range."""
    if len(widths) == 1:
        width = max(widths)
        return [_range(first, last, width) for first, last in _runs(list(map(int, tails)))]
    plain = [int(t) for t in tails if t[0] != "0" or len(t) == 1]
    runs = {(first, len(str(first))): last for first, last in _runs(plain)}
    padded: dict[int, list[int]] = {}
    for tail in tails:
        if tail[0] == "0" and len(tail) > 1:
            padded.setdefault(len(tail), []).append(int(tail))
    for width, numbers in padded.items():
        for first, last in _runs(numbers):
            carry = (last + 1, width)
            follows = last + 1 == 10 ** (width - 1) and carry in runs and runs[carry] - first < MAX_HOSTS
            runs[first, width] = runs.pop(carry) if follows else last
    return [_range(first, last, width) for (first, width), last in sorted(runs.items())]


def _range(first: int, last: int, width: int) -> str:
    low = str(first).zfill(width)
    return low if first == last else f"{low}-{str(last).zfill(width)}"


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """First and last of each stretch of neighbours, in order, cut where a range would pass Slurm's limit."""
    if not numbers:
        return
    numbers.sort()
    gaps = [] if numbers[-1] - numbers[0] < len(numbers) else [(a, b) for a, b in pairwise(numbers) if b != a + 1]
    for first, last in zip([numbers[0], *(b for _, b in gaps)], [*(a for a, _ in gaps), numbers[-1]], strict=True):
        for cut in range(first, last + 1, MAX_HOSTS):
            yield cut, min(cut + MAX_HOSTS - 1, last)


def _names(item: _Item) -> list[str]:
    if not item.brackets:
        return [item.literals[0]]
    columns = [[text for r in ranges for text in _texts(r)] for ranges in item.brackets]
    suffix = item.literals[-1]
    names: list[str] = []
    for chosen in product(*reversed(columns[:-1])):  # Slurm: the first of the leading brackets runs fastest
        stem = "".join(x + text for x, text in zip(item.literals, reversed(chosen), strict=False)) + item.literals[-2]
        names += [stem + text + suffix for text in columns[-1]]
    return names


def _texts(r: _Range) -> list[str]:
    texts = list(map(str, range(r.low, r.high + 1)))
    return texts if r.width == 1 else [text.zfill(r.width) for text in texts]


def _spans(item: _Item) -> list[int]:
    return [max(r.high for r in ranges) - min(r.low for r in ranges) + 1 for ranges in item.brackets]


def _places(item: _Item) -> list[int]:
    """For each of `_names(item)`, its place in the item, from 0: the brackets read as digits, the last one fastest."""
    weight = 1
    columns: list[list[int]] = []
    for ranges, span in zip(reversed(item.brackets), reversed(_spans(item)), strict=True):
        low = min(r.low for r in ranges)
        columns.insert(0, [(n - low) * weight for r in ranges for n in range(r.low, r.high + 1)])
        weight *= span
    places: list[int] = []
    for chosen in product(*reversed(columns[:-1])):
        start = sum(chosen)
        places += [start + place for place in (columns[-1] if columns else [0])]
    return places


def _bounded(text: str, limit: int) -> list[_Item]:
    items = _parse(text)
    total = 0
    for item in items:
        total += item.count()
        if total > limit:
            raise HostlistError(f"{total} hosts or more, the limit is {limit}", item.offset, "split the list into pools")
    return items


def _parse(text: str) -> list[_Item]:
    items: list[_Item] = []
    at = 0
    if "[" not in text and "]" not in text:  # a plain list may hold every node of a cluster
        for name in text.split(","):
            check_name(name, at)
            items.append(_Item(at, (name,), ()))
            at += len(name) + 1
        return items
    while True:
        item, at = _item(text, at)
        items.append(item)
        if at == len(text):
            return items
        at += 1  # the comma


def _item(text: str, start: int) -> tuple[_Item, int]:
    """One item of the list from `start`, and the place of the comma (or the end) after it."""
    literals: list[str] = []
    brackets: list[tuple[_Range, ...]] = []
    at = start
    while True:
        end = _literal_end(text, at)
        literals.append(text[at:end])
        at = end
        if at == len(text) or text[at] == ",":
            break
        if text[at] == "]":
            raise HostlistError("`]` without `[`", at, "write ranges as `n[1-4]`")
        close = text.find("]", at)
        again = text.find("[", at + 1)
        if close < 0 or 0 <= again < close:
            raise HostlistError("`[` is never closed", at, "write ranges as `n[1-4]`")
        brackets.append(_bracket(text, at + 1, close))
        at = close + 1
    item = _Item(start, tuple(literals), tuple(brackets))
    widest = [max(max(r.width, len(str(r.high))) for r in ranges) for ranges in brackets]
    check_name("".join(x + "1" * w for x, w in zip(literals, [*widest, 0], strict=True)), start)
    return item, at


def _literal_end(text: str, at: int) -> int:
    match = _LITERAL.match(text, at)
    assert match is not None  # the pattern matches the empty text
    if strange := _STRANGE.search(text, at, match.end()):
        raise _strange(text, strange.start(), 0)
    return match.end()


def _bracket(text: str, start: int, close: int) -> tuple[_Range, ...]:
    ranges: list[_Range] = []
    at = start
    for part in text[start:close].split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise _bad_range(part, at)
        low, high = match[1], match[2] or match[1]
        if max(len(low), len(high)) > MAX_TAIL_DIGITS:
            hint = f"Slurm keeps numbers of at most {MAX_TAIL_DIGITS} digits apart"
            raise HostlistError(f"a number of {max(len(low), len(high))} digits", at, hint)
        if int(low) > int(high):
            raise HostlistError(f"range `{part}` runs backwards", at, f"write `{high}-{low}`")
        if int(high) - int(low) >= MAX_HOSTS:
            raise HostlistError(f"range `{part}` is larger than {MAX_HOSTS} hosts", at, "Slurm's limit; split it into pools")
        ranges.append(_Range(int(low), int(high), len(low)))
        at += len(part) + 1
    return tuple(ranges)


def _bad_range(part: str, at: int) -> HostlistError:
    strange = re.search(r"[^0-9-]", part)
    if not part:
        return HostlistError("an empty range", at, "write a number or `first-last`, and no extra comma")
    if strange and strange[0] in "/:":
        return HostlistError(f"`{part}` has a step", at + strange.start(), "Slurm knows no steps; write the numbers: `[1,3,5]`")
    if strange and strange[0].isascii() and strange[0].isalpha():
        return HostlistError(f"`{part}` is no range of numbers", at + strange.start(), "ranges hold digits only, as in `[1-4]`")
    if strange:
        return _strange(part, strange.start(), at)
    return HostlistError(f"`{part}` is no range", at, "write a number or `first-last`")


def _strange(text: str, index: int, offset: int) -> HostlistError:
    char = text[index]
    if char.isspace():
        return HostlistError("white space in a host list", offset + index, "separate hosts with a comma and nothing else")
    hint = "host names hold letters, digits, `-`, `_` and `.`"
    return HostlistError(f"the character {char!a} cannot stand in a host name", offset + index, hint)
