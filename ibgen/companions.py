"""The files a spec names beside itself: GUID bindings, the site, own catalog rows. Read once, here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ibgen import source, spec
from ibgen.diagnostics import Finding, On, Span
from ibgen.diagnostics import Path as SpecPath
from ibgen.fabric import Bindings, Fabric, read_bindings
from ibgen.spec import ClusterSpec, Site
from ibgen.spec.findings import UNREADABLE_COMPANION
from ibgen.spec.racks import strangers

_MISSING = {
    "bindings": "`ibgen bind` writes it from the output of ibnetdiscover; it is looked for beside the spec",
    "site": "check the path: it is looked for beside the spec",
    "catalog": "check the path: it is looked for beside the spec",
}
"""What to do about a file that is not there, by the key that names it."""


@dataclass(frozen=True)
class Companions:
    """What was read; `texts` are the sources by the names that findings call them."""

    bindings: Bindings | None = None
    site: Site | None = None
    catalog: tuple[tuple[str, str], ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    site_document: source.Document | None = None


def read_companions(cluster: ClusterSpec, folder: Path) -> tuple[Companions, tuple[Finding, ...]]:
    """Reads what `bindings`, `site` and `catalog` name, relative to the spec's own folder."""
    findings: list[Finding] = []
    texts: dict[str, str] = {}

    def read(name: str, at: SpecPath) -> tuple[str, str] | None:
        path = folder / name
        text, found = source.read(path, missing=_MISSING[str(at[0])])
        if text is None:
            why = found[0].message if found else "it cannot be read"
            hint = (found[0].hint if found else "") or "it is looked for beside the spec"
            findings.append(UNREADABLE_COMPANION.finding(f"`{name}`: {why}", at, hint=hint))
            return None
        texts[str(path)] = text
        return str(path), text

    bindings = site = document = None
    if cluster.bindings is not None and (got := read(cluster.bindings, ("bindings",))):
        bindings, found = read_bindings(got[1], got[0])
        findings.extend(found)
    if cluster.site is not None and (got := read(cluster.site, ("site",))):
        document, parsed = source.parse(got[1], got[0])
        site, found = spec.load_site(document)
        # the site is a document of its own: its paths are turned into spans before they can be mistaken for the spec's
        findings.extend(_placed(f, document) for f in (*parsed, *found))
    rows = [got for n, name in enumerate(cluster.catalog) if (got := read(name, ("catalog", n)))]
    return Companions(bindings, site, tuple(rows), texts, document), tuple(findings)


def strangers_in_racks(companions: Companions, fabric: Fabric) -> tuple[Finding, ...]:
    """Hosts and switches of the site that the cluster does not have. Opaque fabrics have no switches that could be named."""
    site, document = companions.site, companions.site_document
    if site is None or document is None:
        return ()
    switches = None if fabric.failed else [name for s in fabric.subnets for name in s.switches.names]
    return tuple(_placed(f, document) for f in strangers(site, fabric.hosts.names, switches))


def _placed(finding: Finding, document: source.Document) -> Finding:
    def span(at: SpecPath | Span, on: On) -> Span:
        return at if isinstance(at, Span) else document.span(at, on)

    labels = tuple(replace(label, at=span(label.at, label.on)) for label in finding.labels)
    return replace(finding, at=span(finding.at, finding.on), labels=labels)
