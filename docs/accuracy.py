"""The page that holds the models against public measurements, written by `make docs`.

Takes the shipped catalog. Gives the text of `docs/accuracy.md`; every number in it is computed here and now.
"""

from __future__ import annotations

from ibgen.catalog import standard
from ibgen.simulate.accuracy import BAND, LARGE, NODES, Comparison, collectives, training
from ibgen.simulate.collectives import DEFAULT_VERSION

HEAD = """# How good the models are

Each row is a public measurement. The model's figure is computed from the catalog's facts about the platform alone: there is
one set of parameters per GPU generation (`ibgen/catalog/facts/tuning-nccl.yaml`, `latency-nccl.yaml`), taken from NCCL's
sources and from ranges published for training before anything was compared, and no parameter belongs to a row. The aim is
{band:.0%} on rows that count. A row counts when the cluster was healthy, its platform, ranks and size are public, and the
algorithm was forced or left to NCCL without SHARP; the others are shown and not counted. Misses stay.
"""

COLLECTIVES = """## Collectives

Bus bandwidth in GB/s as nccl-tests prints it. Model: NCCL's graph search and tuning model, fabric at line rate, NCCL {version}
where a row names no release, {size} where it names no size, {nodes} nodes where it names no count. A degraded row is right
when it comes out below what is expected.
"""

TRAINING = """## Training step

Model: FLOPs at 0.6 of dense bf16 peak (one value for every GPU), communication by the collectives model, of which a fixed
share is hidden, and the pipeline's bubble. Measured runs with full recomputation count the recomputed FLOPs in MFU, and so
does the model.
"""


def accuracy_page() -> str:
    """The whole page."""
    catalog = standard()
    bands, steps = collectives(catalog), training(catalog)
    parts = [
        HEAD.format(band=BAND),
        _summary(bands + steps),
        COLLECTIVES.format(size=f"{LARGE >> 30} GiB", nodes=NODES, version=DEFAULT_VERSION),
        _table(bands),
        TRAINING,
        _table(steps),
        "## Where the figures were read\n",
        "\n".join(f"- {c.row}: {c.source}" for c in bands + steps) + "\n",
    ]
    return "\n".join(parts)


def _summary(rows: tuple[Comparison, ...]) -> str:
    counted = [c for c in rows if c.counted]
    within = [c for c in counted if c.verdict == "within"]
    missed = ", ".join(c.row for c in counted if c.verdict == "miss")
    found = [c for c in rows if c.verdict == "below expected"]
    text = f"{len(within)} of {len(counted)} counted rows lie within {BAND:.0%}"
    text += f"; missed: {missed}" if missed else ""
    return f"{text}. Degraded rows recognised: {', '.join(c.row for c in found) or 'none'}.\n"


def _table(rows: tuple[Comparison, ...]) -> str:
    lines = [
        "| row | case | unit | model | measured | error | chosen | verdict | remark |",
        "|---|---|---|---:|---:|---:|---|---|---|",
    ]
    for c in rows:
        model = f"{c.model:.4g}" if c.model is not None else "-"
        error = f"{c.error:+.1%}" if c.error is not None else "-"
        cells = (c.row, c.case, c.unit, model, f"{c.measured:.4g}", error, c.chosen or "-", c.verdict, c.why or "")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
