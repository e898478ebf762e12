"""libyaml's event stream as plain data.

Takes one source. Gives a `Tree`: dict, list, str and None, entries for every key and value put into `Places`, and findings.

Why events and not nodes or a loader: 50,000 lines cost 0.5 s this way, 4.5 s through ruamel.yaml's safe loader, and only
events carry positions (measured; docs/performance.md). Aliases share the object they name: its inside points at the anchor,
the value itself at the alias.
"""

from __future__ import annotations

import re
from typing import Any

from _ruamel_yaml import (
    AliasEvent,
    CParser,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)
from ruamel.yaml.error import YAMLError

from ibgen.diagnostics import Code, Label
from ibgen.source import findings as codes
from ibgen.source.aliases import Anchors, merge_into
from ibgen.source.places import KEY_SHIFT, OFFSET_BITS, Data, Places, Source, Spots, key_of, pack, unpack
from ibgen.source.syntax import explain
from ibgen.source.tree import Frame, Tree

MAX_DEPTH = 64
"""The longest path of the language has about ten steps; Python's recursion limit, which later passes meet, is 1,000."""

ODD_KEYS = frozenset(("", "<<"))
SPECIAL = frozenset(("", "~", "n", "N", "0", "+", "-"))  # first characters of plain scalars that need a second look
NULLS = frozenset(("", "~", "null", "Null", "NULL"))  # YAML 1.2.2, section 10.3.2
OCTAL_OR_NOT = re.compile(r"[-+]?0[0-9]+")  # octal in YAML 1.1, decimal in YAML 1.2


def build(source: Source, text: str, places: Places) -> Tree:
    """Reads `text`, the cleaned text of `source`."""
    return _Builder(source, text, places).run()


class _Stop(Exception):
    """Reading on would be useless."""


class _Builder:
    def __init__(self, source: Source, text: str, places: Places) -> None:
        self.source, self.text, self.places = source, text, places
        self.base = source.base
        self.tree = Tree()
        self.stack: list[Frame] = []
        self.top: Frame | None = None
        self.anchors = Anchors(places, MAX_DEPTH)
        self.shift = pack(source.base, source.base)
        self.marked = "&" in text or "!" in text
        self.last = 0  # the node read last: block containers end there, and unclosed quotes are guessed from it
        self.documents = 0

    def run(self) -> Tree:
        steps = {
            ScalarEvent: self.scalar,
            MappingStartEvent: self.open_mapping,
            SequenceStartEvent: self.open_sequence,
            MappingEndEvent: self.close,
            SequenceEndEvent: self.close,
            AliasEvent: self.alias,
            DocumentStartEvent: self.document,
            DocumentEndEvent: self.skip,
            StreamStartEvent: self.skip,
        }
        try:
            step = CParser(self.text).get_event
            while type(event := step()) is not StreamEndEvent:
                steps[type(event)](event)
        except _Stop:
            pass
        except YAMLError as error:
            self.tree.usable = False
            self.tree.findings.append(explain(error, self.source, unpack(self.last)))
        return self.tree

    def say(self, code: Code, message: str, place: int, hint: str, *, label: str = "", labels: tuple[Label, ...] = ()) -> None:
        at = self.places.sources.span(place)
        self.tree.findings.append(code.finding(message, at, label=label, labels=labels, hint=hint))

    def skip(self, event: Any) -> None:
        """An event that says nothing."""

    def document(self, event: Any) -> None:
        self.documents += 1
        if self.documents == 2:
            place = pack(event.start_mark.index + self.base, event.end_mark.index + self.base)
            hint = "keep one document; put the other into its own file and lay it over with `-f`"
            self.say(codes.SEVERAL_DOCUMENTS, "a second YAML document starts here; one file holds one spec", place, hint)
            self.tree.usable = not self.tree.empty
            raise _Stop

    def scalar(self, event: Any) -> None:
        """By far the most frequent event: kept short, its rare cases stand elsewhere."""
        value, style = event.value, event.style
        place = (event.start_mark.index << OFFSET_BITS | event.end_mark.index) << 1
        self.last = place = place + self.shift
        if style:
            place += 1
            self.hide(event, style)
        if self.marked and (event.tag or event.anchor):
            value = self.marked_scalar(event, value, place)
        top = self.top
        if top is None:
            self.put(self.read(value, place, style), place)
        elif not top.keyed:
            top.node.append(value if style or value[:1] not in SPECIAL else self.read(value, place, style))
            top.spots.append(place)
        elif top.key is None:
            if value in top.node or value in ODD_KEYS:
                self.odd_key(top, value, place, not style)
            else:
                top.key, top.key_place = value, place << KEY_SHIFT
        elif top.drop or top.merge:
            self.put(value, place)
        else:
            top.node[top.key] = value if style or value[:1] not in SPECIAL else self.read(value, place, style)
            top.spots[top.key] = top.key_place | place
            top.key = None

    def read(self, value: str, place: int, style: str) -> str | None:
        """What a plain scalar says: nothing, or its own text, which must not be ambiguous."""
        if style:
            return value
        if value in NULLS:
            return None
        if OCTAL_OR_NOT.fullmatch(value):
            self.say_ambiguous(value, place)
        return value

    def marked_scalar(self, event: Any, value: str, place: int) -> str:
        """A scalar with a tag, an anchor or both."""
        if event.tag:
            self.refuse_tag(event.tag, place)
        if event.anchor:
            plain = not event.style and (self.top is None or not self.top.keyed or self.top.key is not None)
            self.anchors.close(event.anchor, None if plain and value in NULLS else value)
        return value

    def hide(self, event: Any, style: str) -> None:
        """Remembers where `#` is text. The first line of a block scalar (`|`, `>`) may still carry a comment."""
        start, end = event.start_mark.index, event.end_mark.index
        if style in "|>":
            start = self.text.find("\n", start)
        if 0 <= start < end:
            self.tree.hiding.append((start, end))

    def say_ambiguous(self, value: str, place: int) -> None:
        number = value.lstrip("+-0") or "0"
        octal = "" if set(value) & {"8", "9"} or len(value) > 20 else f", {int(value.lstrip('+-'), 8)} (octal)"
        message = f"`{value}` is ambiguous: {number}{octal}, or the text with its zero?"
        self.say(codes.AMBIGUOUS, message, place, f'write `{number}` for the number, `"{value}"` for the text')

    def odd_key(self, top: Frame, value: str, place: int, plain: bool) -> None:
        """A key that is there already, empty, or `<<`."""
        top.key, top.key_place, top.drop, top.merge = value, place << KEY_SHIFT, True, False
        if plain and value == "<<":
            top.drop, top.merge = False, True
        elif plain and not value:
            self.say(codes.NOT_A_TEXT_KEY, "a value without a key", place, "write the key before the colon")
        elif value in top.node:
            first = self.places.sources.span(key_of(top.spots[value]))
            labels = (Label(first, "first given here"),)
            hint = "keep one of the two; ibgen read the first"
            self.say(codes.DUPLICATE_KEY, f"`{value}` is given twice", place, hint, label="given again", labels=labels)
        else:
            top.drop = False

    def put(self, value: Data, place: int) -> None:
        """A whole value: into the open container, or as the document itself."""
        top = self.top
        if top is None:
            self.tree.data, self.tree.place = value, place
            self.tree.empty = value is None
        elif not top.keyed:
            top.node.append(value)
            top.spots.append(place)
        elif top.key is None:
            self.say(codes.NOT_A_TEXT_KEY, "a mapping or list cannot be a key", place, "keys are plain words: `name: value`")
            top.key, top.drop, top.merge = "", True, False
        else:
            if top.merge:
                top.merges = [*(top.merges or ()), (value, place)]
            elif not top.drop:
                top.node[top.key] = value
                top.spots[top.key] = top.key_place | place
            top.key, top.drop, top.merge = None, False, False

    def open_mapping(self, event: Any) -> None:
        self.open(event, {}, {}, True)

    def open_sequence(self, event: Any) -> None:
        self.open(event, [], [], False)

    def open(self, event: Any, node: Data, spots: Spots, keyed: bool) -> None:
        start = event.start_mark.index + self.base
        if len(self.stack) >= MAX_DEPTH:
            self.too_deep(pack(start, start + 1))
        if event.tag:
            self.refuse_tag(event.tag, pack(start, event.end_mark.index + self.base))
        self.last = pack(start, start)
        self.places.spots[id(node)] = spots
        self.top = Frame(node, spots, keyed, start, event.anchor)
        self.stack.append(self.top)
        if event.anchor:
            self.anchors.open(event.anchor)

    def close(self, event: Any) -> None:
        frame = self.stack.pop()
        self.top = self.stack[-1] if self.stack else None
        mark, end = event.start_mark.index, unpack(self.last)[1]
        if event.end_mark.index == mark + 1 and self.text[mark] in "]}":  # flow style; in block style the mark is far below
            end = mark + 1 + self.base
            self.last = pack(frame.start, end)
        if frame.merges:
            for value, place in frame.merges:
                if not merge_into(frame.node, frame.spots, value, self.places):
                    hint = "`<<:` takes a mapping or a list of mappings: `<<: *defaults`"
                    self.say(codes.BAD_ALIAS, "`<<` is given something that is not a mapping", place, hint)
        if frame.anchor:
            self.anchors.close(frame.anchor, frame.node)
        self.put(frame.node, pack(frame.start, end))

    def alias(self, event: Any) -> None:
        start, end = event.start_mark.index + self.base, event.end_mark.index + self.base
        place = pack(start, end)
        self.last = place
        value, problem, hint, deep = self.anchors.use(event.anchor, len(self.stack))
        if deep:
            self.too_deep(place)
        if problem:
            self.tree.usable = False
            if hint:  # the first of a flood carries it, the others say nothing new
                self.say(codes.BAD_ALIAS, problem, place, hint)
        top = self.top
        if top is not None and top.keyed and top.key is None and isinstance(value, str):
            self.odd_key(top, value, place, False)
        else:
            self.put(value, place)

    def too_deep(self, place: int) -> None:
        hint = "no part of a spec is nested so deeply: is a bracket left open, or is this another kind of file?"
        self.say(codes.TOO_DEEP, f"more than {MAX_DEPTH} lists and mappings inside each other", place, hint)
        self.tree.usable = False
        raise _Stop

    def refuse_tag(self, tag: str, place: int) -> None:
        short = tag.replace("tag:yaml.org,2002:", "!!")
        hint = "leave the tag out: the field decides how its value is read" + (
            "; quotes make a text" if short == "!!str" else ""
        )
        self.say(codes.TAG, f"the tag `{short}` is not allowed", place, hint)
