"""The journey of a spec, top to bottom: the first file to read.

    text --source.parse--> Document --spec.load--> ClusterSpec --fabric.resolve--> Fabric --targets.decide--> Targets
         --simulate.run--> Simulation --checks.run--> Report          and then: emit.run -> artifacts --write--> a tree

Each pass gives its value and what it found. A pass that failed stops the passes that need its value and no others, so
that one reading of a broken spec says everything that can be said about it.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibgen import __version__, checks, simulate, source, spec, targets
from ibgen import catalog as catalogs
from ibgen import fabric as fabrics
from ibgen.catalog.opensm import Flavour
from ibgen.companions import Companions, read_companions, strangers_in_racks
from ibgen.compilation import Compilation, complete
from ibgen.diagnostics import Code, Finding, Report, Severity, locate

if TYPE_CHECKING:  # the rooms after the rules are imported by what enters them: `check` does not
    from ibgen import emit, write

Progress = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Input:
    """What a command was given: the spec, its overlays, or the text itself where it came from elsewhere (stdin)."""

    path: Path
    overlays: tuple[Path, ...] = ()
    text: str | None = None
    require_bindings: bool = False


def compile(given: Input, progress: Progress = lambda name: None, *, glance: bool = True) -> tuple[Compilation, Report]:
    """All passes up to the rules. Never raises on anything a user may write. `glance`: also the traffic that is shown, not
    judged."""
    collecting = gc.isenabled()
    gc.disable()  # the collector is most of the cost of building a large spec (docs/performance.md)
    try:
        return _compile(given, progress, glance)
    finally:
        if collecting:
            gc.enable()


def _compile(given: Input, progress: Progress, glance: bool) -> tuple[Compilation, Report]:
    progress("reading")
    document, findings = _read(given)
    companions = Companions()
    cluster, found = spec.load(document)
    findings += found
    if cluster is not None:
        companions, found = read_companions(cluster, given.path.parent)
        findings += found
    catalog, found = catalogs.load(companions.catalog)
    findings += found
    c = Compilation(document, catalog, cluster, companions.site, companions.bindings)
    if cluster is not None:
        progress("planning the fabric")
        built, found = fabrics.resolve(cluster, catalog, companions.bindings)
        findings += found
        c = replace(c, fabric=built)
        findings += strangers_in_racks(companions, built) if built is not None else ()
    if c.spec is not None and c.fabric is not None:
        progress("deciding the targets")
        decided, found = targets.decide(c.spec, c.fabric, catalog)
        findings += found
        c = replace(c, targets=decided)
    if c.spec is not None and c.fabric is not None and c.targets is not None:
        progress("simulating")
        c = replace(c, simulation=simulate.run(c.spec, c.fabric, c.targets, catalog, glance=glance))
    progress("checking")
    findings += checks.run(c)
    return c, _report(c, companions, findings, given)


def _read(given: Input) -> tuple[source.Document, tuple[Finding, ...]]:
    texts: list[tuple[str, str]] = []
    findings: tuple[Finding, ...] = ()
    for path in (given.path, *given.overlays):
        if given.text is not None and path == given.path:
            texts.append((str(path), given.text))
            continue
        text, found = source.read(path)
        findings += found
        texts.append((str(path), text if text is not None else ""))
    if findings:  # a file that could not be read: what it would have said is unknown, so nothing further is judged
        return source.Document(file=texts[0][0], data=None, texts=dict(texts)), findings
    document, found = source.parse(texts[0][1], texts[0][0], texts[1:])
    return document, found


def _report(c: Compilation, companions: Companions, findings: tuple[Finding, ...], given: Input) -> Report:
    if given.require_bindings:
        findings = tuple(replace(f, severity=Severity.ERROR) if f.code.name == "synthetic-guids" else f for f in findings)
    texts = {**c.document.texts, **companions.texts}
    return locate(findings, c.document.span, c.document.suppressions, texts)


def emit_tree(c: Compilation, progress: Progress = lambda name: None) -> tuple[emit.Artifact, ...]:
    """Every file of the tree. Raises ValueError where a pass failed: look at the report first."""
    from ibgen import emit

    whole = complete(c)
    if whole is None:
        raise ValueError("the spec has errors: nothing can be written")
    return emit.run(whole, progress)


def manifest_info(c: Compilation) -> write.ManifestInfo:
    """What the manifest says of where the tree came from: the only place for versions and digests."""
    from ibgen import write

    digest = hashlib.sha256()
    for name, text in sorted(c.document.texts.items()):
        digest.update(f"{Path(name).name}\0{len(text)}\0".encode() + text.encode())
    return write.ManifestInfo(
        tool_version=__version__,
        catalog_digest=c.catalog.digest(),
        spec_digest=digest.hexdigest(),
        spec_name=c.spec.cluster if c.spec else "",
    )


def build(
    given: Input, out: Path, *, force: bool = False, check: bool = False, progress: Progress = lambda name: None
) -> tuple[Report, write.WritePlan | None]:
    """Compiles, and writes the tree (or, with `check`, only says whether it is stale). With errors nothing is written."""
    c, report = compile(given, progress)
    return write_tree(c, report, out, force=force, check=check, progress=progress)


def write_tree(
    c: Compilation, report: Report, out: Path, *, force: bool = False, check: bool = False,
    progress: Progress = lambda name: None,
) -> tuple[Report, write.WritePlan | None]:  # fmt: skip
    """The second half of `build`: what was compiled, written or compared."""
    if report.reaches(Severity.ERROR):
        return report, None
    from ibgen import write

    progress("making the files")
    artifacts = emit_tree(c, lambda part: progress(f"making the files: {part}"))
    progress("writing")
    if check:
        plan, findings = write.check(artifacts, out, manifest_info(c))
    else:
        plan, findings = write.write(
            artifacts, out, manifest_info(c), force=force, progress=lambda file: progress(f"writing: {file}")
        )
    return _with(report, c, findings), plan


def _with(report: Report, c: Compilation, findings: tuple[Finding, ...]) -> Report:
    more = locate(findings, c.document.span)
    return replace(report, diagnostics=(*report.diagnostics, *more.diagnostics))


def lint_opensm(folder: Path, flavour: Flavour = "upstream") -> Report:
    """Judges a folder of OpenSM files that has no spec, as OpenSM would read them. In a tree of ibgen's a manager's conf lies
    in a folder of its host below the lists: each such conf is judged with them."""
    from ibgen import foreign

    texts: dict[str, str] = {}
    findings: tuple[Finding, ...] = ()
    below = sorted(conf.parent for conf in folder.glob("*/opensm.conf"))
    for path in sorted(p for f in (folder, *below) for p in f.iterdir()):
        if path.is_file() and path.suffix in ("", ".conf", ".policy", ".txt"):
            text, found = source.read(path)
            findings += found
            if text is not None:
                texts[str(path)] = text
    own = {p: t for p, t in texts.items() if Path(p).parent == folder}
    sets = [{**own, **{p: t for p, t in texts.items() if Path(p).parent == host}} for host in below]
    if not sets or str(folder / "opensm.conf") in own:
        sets.append(own)
    for files in sets:
        findings += foreign.lint_folder(files, catalogs.standard(), flavour)
    findings = tuple({(f.code.id, f.message, f.at): f for f in findings}.values())  # the lists are read with every conf
    return locate(findings, source.Document(file=str(folder), data=None, texts={}).span, (), texts)


def codes() -> tuple[Code, ...]:
    """Everything ibgen can say, by id: the codes of the passes, declared in their rooms, and those of the rules."""
    import importlib
    import pkgutil

    found: dict[str, Code] = {r.code.id: r.code for r in checks.rules()}
    for room in ("source", "catalog", "spec", "fabric", "route", "discover", "foreign", "targets", "write"):
        package = importlib.import_module(f"ibgen.{room}")
        for info in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"ibgen.{room}.{info.name}")
            found |= {v.id: v for v in vars(module).values() if isinstance(v, Code)}
    return tuple(found[id] for id in sorted(found))
