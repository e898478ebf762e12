"""Studies written down by hand, and studies of anything, for the tests of their renderers."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ibgen.render.simulation import Scaling, Simulated
from ibgen.simulate import ChainStep
from ibgen.simulate.collectives import Collective, CollectiveCurve
from ibgen.simulate.engines import TablesOf
from ibgen.simulate.failures import FailureStudy, FewerAdapters, LostHosts, Outcome, Sweep, SweepRow
from ibgen.simulate.heat import Heat
from ibgen.simulate.layout import Misfit
from ibgen.simulate.link_tiers import TierLinks
from ibgen.simulate.named import CableEnd, WorstCable
from ibgen.simulate.order import OrderAdvice
from ibgen.simulate.pool_collectives import PoolCollectives
from ibgen.simulate.results import BoundsResult, FabricRate, PatternResult, RateResult, Study
from ibgen.simulate.storage import StorageSides
from ibgen.simulate.training import AxisTime, ScalingPoint, TrainingOutcome, TrainingStep

STATIC = "static tables"

PERMUTATION = PatternResult("permutation", STATIC, 1020, 100, 1, 0.663123, 0.001124, 7, 0, "")
RING = PatternResult("ring, host order", STATIC, 1020, 1, None, 1.0, None, 1, 0, "")
SHIFTS = PatternResult("shift set", STATIC, 1020, 64, None, 0.9987, None, 2, 3, "every 16th of 1,019 shifts")

WORST = (
    WorstCable(
        "permutation", 3, 50.0, CableEnd("leaf-u01-r3", 37, "19/1"), CableEnd("spine-05", 3, "2/1"),
        (("dgx-001/mlx5_3", "dgx-070/mlx5_3"), ("dgx-002/mlx5_3", "dgx-071/mlx5_3")), 1,
    ),
    WorstCable("permutation", 2, 50.0, CableEnd("dgx-003/mlx5_0", 1, ""), CableEnd("leaf-u01-r0", 3, "2/1"), (), 2),
)  # fmt: skip

TIERS = (
    TierLinks("permutation", "leaf up", 1024, 370, (1, 2, 3), (400, 200, 54), 3, 1.0),
    TierLinks("all-to-all", "leaf up", 1024, 0, (900, 1020), (24, 1000), 1019, 996.1),
)

STEP = TrainingStep(
    workload="gpt", gpus=960, nodes=120, data=15, micro_batches=80, tokens=4_915_200, step_s=11.6912, compute_s=9.5,
    bubble_s=0.93, axes=(AxisTime("tensor", 8, 1e12, 1.5, 1.16, True), AxisTime("data", 15, 1e10, 0.2, 0.02, False)),
    mfu=0.4912, tflops_per_gpu=485.8, assumed_shape=False,
)  # fmt: skip


def curve(operation: str = "all_reduce", line: float = 400.0) -> CollectiveCurve:
    points = tuple(
        Collective(operation, 127, 1016, n, "ring", "Simple", n / 1e5 + 30, n / 1e9, min(line, n / 1e7), "nccl")  # type: ignore[arg-type]
        for n in (8, 1 << 20, 8 << 20, 1 << 30, 16 << 30)
    )
    return CollectiveCurve(operation, 127, 1016, "2.27", line, 399.6, points)  # type: ignore[arg-type]


def heat(n: int = 3) -> Heat:
    values = np.full((n, n), 0.5)
    np.fill_diagonal(values, np.nan)
    return Heat(tuple(f"dgx-{i:03}" for i in range(1, n + 1)), "host", "all pairs", values, STATIC)


def study(**changes: object) -> Study:
    fields: dict[str, object] = {
        "subnet": "compute", "fabric": 0, "seed": 1, "endpoints": 1020, "hosts": 129, "switches": 48, "line_gbs": 50.0,
        "tables": TablesOf("ftree", "closed form", "ar_updn", "it routes adaptively over the same ways"),
        "patterns": (SHIFTS, PERMUTATION, RING), "tiers": TIERS, "worst": WORST,
        "rates": (RateResult("permutation", 8.3333, 33.142, 50.0, 1020, (("storage", 0.1),), "max-min fair", 0, 1),),
        "bounds": (BoundsResult("permutation", 0.6631, 1.0, 0.92, 0.92, "a vendor", True, "bounds"),),
        "order": OrderAdvice(0.5, 1.0, 0.507, 0.5, ("dgx-001", "dgx-002"), 8, 1, "sort the hosts by leaf"),
        "ratings": (FabricRate(0, "ring", 1.0, 400.0, 400.0, "rail rings", STATIC),),
        "collectives": (PoolCollectives(0, 127, (("NCCL_CROSS_NIC", "0"),), (curve(), curve("alltoall"))),),
        "training": (TrainingOutcome(0, STEP, ()), TrainingOutcome(1, None, (Misfit("gpus", "7 GPUs are odd", "gpus: 8"),))),
        "notes": ("planned hosts send nothing",), "heat": heat(),
    }  # fmt: skip
    return Study(**(fields | changes))  # type: ignore[arg-type]


def outcome(share: float = 0.8, most: int = 1019) -> Outcome:
    return Outcome(PatternResult("bisection", STATIC, 510, 20, 1, share, 0.002, 5, 0, ""), share, most, share, 50 * share)


LOST = LostHosts((FewerAdapters("dgx-[001-032]", 32, "compute", True, ("mlx5_3",), 7, 8, 350.0, 400.0),), "ufm-1", 1)
FAILURE = FailureStudy(
    "compute", ("leaf-u01-r3",), "ftree", "only the destinations whose way used the part", 32, 1020, 64480, 1_039_380,
    ("dgx-[001-032]/mlx5_3",), (), LOST, outcome(), outcome(0.6, 1100), 0.25, 0.25, 0.25, "",
)  # fmt: skip
SWEEP = Sweep(
    "compute", "cables", "ftree", "only the destinations whose way used the part", 1024, 1024, 20, 510, 1, 0.8, 0.002, 1019,
    (SweepRow("leaf-u01-r3:37", 0.79, 0.0125, 0.0202, 0, 0, 1040, 22),),
    ((0.0, 0.0, 0.0), (0.5, 0.001, 0.0), (1.0, 0.0125, 0.0202)), 0,
)  # fmt: skip


def simulated(*studies: Study, **changes: object) -> Simulated:
    points = (
        ScalingPoint(8, 64, STEP, ()),
        ScalingPoint(
            9,
            72,
            None,
            (Misfit("gpus", "no", "")),
        ),
        ScalingPoint(120, 960, STEP, ()),
    )
    fields: dict[str, object] = {
        "cluster": "pod", "pools": ("gpu", "cpu"), "workloads": ("gpt", "moe"), "exposed_limit": 0.05,
        "chain": (ChainStep("compute", 0, "hca-leaf", 408_000.0, 408_000.0, 1020),), "studies": studies,
        "scaling": (Scaling("gpt", points),),
    }  # fmt: skip
    return Simulated(**(fields | changes))  # type: ignore[arg-type]


# anything at all: what a damaged spec, a tiny fabric or a later change of the models could hand to a renderer
words = st.text(max_size=12)
counts = st.integers(0, 2**40)
shares = st.floats(0, 1)
rates = st.floats(0, 1e7)
seeds = st.none() | st.integers(0, 2**63 - 1)
errors = st.none() | shares
patterns = st.builds(PatternResult, words, words, counts, counts, seeds, shares, errors, counts, counts, words)
ends = st.builds(CableEnd, words, st.integers(0, 129), words)
flows = st.lists(st.tuples(words, words), max_size=4).map(tuple)
worst = st.builds(WorstCable, words, counts, rates, ends, ends, flows, counts)
background = st.lists(st.tuples(words, shares), max_size=2).map(tuple)
rate_results = st.builds(RateResult, words, rates, rates, rates, counts, background, words, counts, seeds)
bounds = st.builds(BoundsResult, words, shares, shares, errors, errors, words, st.booleans(), words)
storage = st.builds(StorageSides, counts, counts, rates, rates)
orders = st.builds(OrderAdvice, shares, shares, shares, shares, st.just(("a",)), counts, counts, words)


@st.composite
def tiers(draw: st.DrawFn) -> TierLinks:
    loads = sorted(draw(st.sets(st.integers(1, 2**32), max_size=6)))
    numbers = draw(st.lists(st.integers(0, 2**20), min_size=len(loads), max_size=len(loads)))
    idle = draw(st.integers(0, 2**20))
    return TierLinks(
        draw(words), draw(words), sum(numbers) + idle, idle, tuple(loads), tuple(numbers), max(loads, default=0), draw(rates)
    )


@st.composite
def heats(draw: st.DrawFn) -> Heat:
    n = draw(st.integers(0, 5))
    values = draw(st.lists(st.floats(0, 1) | st.just(float("nan")), min_size=n * n, max_size=n * n))
    labels = draw(st.lists(words, min_size=n, max_size=n))
    return Heat(tuple(labels), "host", draw(words), np.array(values).reshape(n, n), draw(words))


def many(of: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(of, max_size=4).map(tuple)


studies = st.builds(
    study, subnet=words, endpoints=counts, hosts=counts, switches=counts, line_gbs=rates,
    tables=st.builds(TablesOf, words, words, words, words), patterns=many(patterns), tiers=many(tiers()), worst=many(worst),
    rates=many(rate_results), bounds=many(bounds), order=st.none() | orders, notes=many(words), heat=st.none() | heats(),
    storage=st.none() | storage,
    collectives=st.sampled_from([(), (PoolCollectives(0, 1, (), ()),), (PoolCollectives(1, 2, (), (curve(line=0.0),)),)]),
)  # fmt: skip
