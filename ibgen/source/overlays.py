"""One document laid over another.

Takes two mappings and their places. Gives a new mapping (neither input is changed, as aliases may share them) in which every
value keeps the file and line it came from, and findings.

The rules:
- mappings are merged key by key;
- lists whose items all are mappings with a `name` are merged by that name, new names follow in their order;
- any other list, and an empty one, replaces the list below; a text replaces a text;
- `key: null` removes the key; inside something that is new it stays null;
- a value of another kind replaces what lies below and is a finding, silenced with a reason where it is meant.
"""

from __future__ import annotations

from ibgen.diagnostics import Finding, Label
from ibgen.source.findings import OVERLAY_CLASH, OVERLAY_ITEM_TWICE, OVERLAY_REMOVES_NOTHING
from ibgen.source.places import Data, Places, key_of, value_of


def lay_over(base: dict[str, Data], over: dict[str, Data], places: Places) -> tuple[dict[str, Data], list[Finding]]:
    """`over` laid over `base`."""
    findings: list[Finding] = []
    return _mapping(base, over, places, findings), findings


def _mapping(base: dict[str, Data], over: dict[str, Data], places: Places, findings: list[Finding]) -> dict[str, Data]:
    out, spots = dict(base), dict(places.mapping(base))
    theirs = places.mapping(over)
    for key, value in over.items():
        if value is not None:
            if out.get(key) is None:
                out[key], spots[key] = value, theirs[key]
            else:
                out[key], spots[key] = _value((out[key], spots[key]), (value, theirs[key]), places, findings)
        elif key in out:
            del out[key], spots[key]
        else:
            at = places.sources.span(key_of(theirs[key]))
            hint = f"check the spelling of `{key}`, or delete the line: `null` in an overlay removes a key"
            findings.append(OVERLAY_REMOVES_NOTHING.finding(f"there is no `{key}` below that could be removed", at, hint=hint))
    places.spots[id(out)] = spots
    return out


def _value(old: tuple[Data, int], new: tuple[Data, int], places: Places, findings: list[Finding]) -> tuple[Data, int]:
    """A value over a value, each with its entry. A merged container stands where its base stands."""
    below, above = old[0], new[0]
    if isinstance(below, dict) and isinstance(above, dict):
        return _mapping(below, above, places, findings), old[1]
    if isinstance(below, list) and isinstance(above, list):
        if below and above and _is_named(below) and _is_named(above):
            return _named(below, above, places, findings), old[1]
        return new
    if type(below) is not type(above):
        message = f"the overlay gives {_kind(above)} where {_kind(below)} lies below"
        labels = (Label(places.sources.span(value_of(old[1])), "below"),)
        hint = "check the indentation; where it is meant, add `# ibgen: ignore[IBG015] reason`"
        at = places.sources.span(key_of(new[1]) or value_of(new[1]))
        findings.append(OVERLAY_CLASH.finding(message, at, labels=labels, hint=hint))
    return new


def _named(base: list[Data], over: list[Data], places: Places, findings: list[Finding]) -> list[Data]:
    out, spots = list(base), list(places.sequence(base))
    index: dict[object, int] = {}
    for i, item in enumerate(base):
        index.setdefault(_name(item), i)
    _once(over, places, findings)
    for item, spot in zip(over, places.sequence(over), strict=True):
        i = index.setdefault(_name(item), len(out))
        if i == len(out):
            out.append(item)
            spots.append(spot)
        else:
            out[i], spots[i] = _value((out[i], spots[i]), (item, spot), places, findings)
    places.spots[id(out)] = spots
    return out


def _once(items: list[Data], places: Places, findings: list[Finding]) -> None:
    """An overlay that names an item twice: the two are merged, and where they disagree nobody sees that the last one won."""
    first: dict[str, int] = {}
    for item, spot in zip(items, places.sequence(items), strict=True):
        name = _name(item)
        if name is not None and name in first:
            labels = (Label(places.sources.span(value_of(first[name])), "first here"),)
            at = places.sources.span(value_of(spot))
            hint = "put everything about it into one item"
            findings.append(OVERLAY_ITEM_TWICE.finding(f"the overlay names `{name}` twice", at, labels=labels, hint=hint))
        elif name is not None:
            first[name] = spot


def _name(item: Data) -> str | None:
    name = item.get("name") if isinstance(item, dict) else None
    return name if isinstance(name, str) else None


def _is_named(items: list[Data]) -> bool:
    return all(_name(item) is not None for item in items)


def _kind(value: Data) -> str:
    return "a mapping" if isinstance(value, dict) else "a list" if isinstance(value, list) else "a text"
