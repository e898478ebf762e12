"""Random small clusters under OpenSM, as hypothesis strategies: every shape, every kind of partition, QoS, several managers.

Gives `specs()`: texts of specs. They are made to be valid, but what `ibgen check` finds an error in is no example: `good` says.
"""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import strategies as st

from ibgen import compiler
from ibgen.compilation import Complete, complete
from ibgen.diagnostics import Severity

HEAD = """\
ibgen: 1
cluster: random
pools:
  - name: gpu
    hosts: "n[{first}-{last}]"
    exceptions: {exceptions}
    platform: {{kind: generic, hcas: [{hcas}]}}
  - name: stor
    hosts: "stor-[1-2]"
    schedulable: no
    platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: {slow}, role: storage}}]}}
  - name: sm
    hosts: "sm-[1-2]"
    schedulable: no
    platform: {{kind: generic, hcas: [{{name: mlx5_0, rate: 200G, role: management}}]}}
fabrics:
  - name: ib
    control: {control}
    topology: {topology}
    attach: [{{pool: gpu, hcas: compute}}{services}]
    partitions: [{partitions}]
{more}"""

SHAPES = ("one", "host", "aligned", "three", "planes", "explicit", "dragonfly", "rails")
SERVICES = ", {pool: stor, hcas: all, at: reserved}, {pool: sm, hcas: all, at: reserved}"
REQUIREMENTS = "requirements: {oversubscription: {ib: 40.0}}\n"


def good(text: str) -> Complete | None:
    """The compiled spec, where `ibgen check` finds no error in it."""
    c, report = compiler.compile(compiler.Input(Path("random.yaml"), text=text))
    return None if any(d.severity is Severity.ERROR for d in report.diagnostics) else complete(c)


@st.composite
def specs(draw: st.DrawFn, shapes: tuple[str, ...] = SHAPES) -> str:
    """One cluster: three to a dozen hosts, one to three adapters each."""
    shape = draw(st.sampled_from(shapes))
    count = 12 if shape == "dragonfly" else draw(st.integers(3, 10))
    adapters = 1 if shape in ("dragonfly", "explicit") else draw(st.integers(1, 3))
    dual = shape == "planes"
    hcas = ", ".join(f"{{name: mlx5_{n}, rate: 200G{', ports: 2' * dual}}}" for n in range(adapters))
    hosts = [f"n{n}" for n in range(10, 10 + count)]
    served = shape in ("host", "aligned", "three", "one")
    down = draw(st.sampled_from(("", "planned", "down"))) if count > 4 and shape != "explicit" else ""
    exceptions = f"[{{hosts: {hosts[-1]}, state: {down}}}]" if down else "[]"
    managers = draw(st.sampled_from(([], ["sm-1"], ["sm-2", "sm-1"]))) if served else []
    qos = served and draw(st.booleans())
    return HEAD.format(
        first=10,
        last=9 + count,
        exceptions=exceptions,
        hcas=hcas,
        slow=draw(st.sampled_from(("200G", "100G"))),
        control=_control(draw, shape, managers),
        topology=_topology(draw, shape, hosts, adapters),
        services=SERVICES if served else "",
        partitions=", ".join(_partitions(draw, hosts[: len(hosts) - bool(down)], adapters, served)),
        more=("    qos: {classes: [" + ", ".join(_classes(draw)) + "]}\n") * qos + REQUIREMENTS,
    )


def _control(draw: st.DrawFn, shape: str, managers: list[str]) -> str:
    engines = {
        "one": ("auto", "minhop"),
        "dragonfly": ("auto", "nue", "dfsssp"),
        "explicit": ("auto", "updn", "minhop"),
        "rails": ("auto",),
    }
    engine = draw(st.sampled_from(engines.get(shape, ("auto", "ftree", "updn", "minhop", "dnup"))))
    prefix = draw(st.sampled_from(("", ", subnet_prefix: 0xfec0000000000100")))
    stable = draw(st.sampled_from(("", ", files: {stable_lids: yes}", ", options: {sweep_interval: 30, log_max_size: 100}")))
    return f"{{kind: opensm, hosts: [{', '.join(managers)}], routing: [{engine}]{prefix}{stable}}}"


def _topology(draw: st.DrawFn, shape: str, hosts: list[str], adapters: int) -> str:
    if shape == "explicit":
        return _explicit(draw, hosts)
    if shape == "dragonfly":
        return "{kind: dragonfly, switch: qm8700, a: 2, p: 2, h: 1}"
    if shape == "rails":
        return f"{{kind: rail-only, unit: {draw(st.integers(3, 10))}, leaf: {{switch: qm8700}}}}"
    if shape == "one":
        return f"{{kind: fat-tree, rails: host, unit: {len(hosts)}, leaf: {{switch: qm8700}}, reserve: {{a: 4}}}}"
    unit = draw(st.integers(2, 4))
    rails = "host" if shape in ("host", "three") else "aligned"
    tiers = {"three": ", tiers: 3, pod: 2", "planes": ", planes: 2"}.get(shape, ", tiers: 2")
    reserve = "" if shape == "planes" else ", reserve: {a: 4}"
    up = draw(st.sampled_from((4, 8, 12)))
    return (
        f"{{kind: fat-tree, rails: {rails}, unit: {unit}{tiers}{reserve}, "
        f"leaf: {{switch: qm8700, downlinks: 20, uplinks: {up}}}, spine: {{switch: qm8700}}}}"
    )


def _explicit(draw: st.DrawFn, hosts: list[str]) -> str:
    """Leaves and spines with a few cables too many, at random."""
    leaves, spines = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    cables = [f"l{x}:{30 + s} s{s}:{x}" for x in range(1, leaves + 1) for s in range(1, spines + 1)]
    cables += [f"l{1 + n % leaves}:{1 + n} {host}/mlx5_0:1" for n, host in enumerate(hosts)]
    extra = draw(st.sampled_from(("", "s1:38 s2:38", "l1:38 l2:38", "l1:39 s1:39")))
    if extra and (("s2" not in extra or spines > 1) and ("l2" not in extra or leaves > 1)):
        cables.append(extra)
    groups = f'{{names: "l[1-{leaves}]", switch: qm8700, role: leaf}}, {{names: "s[1-{spines}]", switch: qm8700, role: spine}}'
    return f"{{kind: explicit, switches: [{groups}], cables: {json.dumps(cables)}}}"


def _partitions(draw: st.DrawFn, hosts: list[str], adapters: int, served: bool) -> list[str]:
    kind = draw(st.sampled_from(("none", "everybody", "tenants", "overlapping", "guests", "index", "both")))
    if kind == "none":
        return []
    level = draw(st.sampled_from(("full", "limited"))) if kind != "everybody" else "full"
    ipoib = draw(st.sampled_from(("", ", ipoib: {mtu: 4096}", ", ipoib: {mtu: 2048, rate: 100G}")))
    service = ", {pool: stor, membership: full}, {pool: sm, membership: full}" if served else ""
    made = [f"{{name: default, pkey: 0x7fff{ipoib}, members: [{{pool: gpu, membership: {level}}}{service}]}}"]
    if kind == "everybody":
        return made
    cut = draw(st.integers(1, len(hosts) - 1))
    low, high = hosts[:cut], hosts[cut - (kind == "overlapping") :]
    index = "indx0: yes, " if kind == "index" else ""
    some = draw(st.sampled_from(("all", "[mlx5_0]")))
    guest = ', {guid: "0x0002c90300a1b2c3", membership: limited}' if kind == "guests" else ""
    storage = ", {pool: stor, membership: limited}" if served and draw(st.booleans()) else ""
    for number, members in enumerate((low, high), 1):
        listed = ",".join(members)
        made.append(
            f"{{name: t{number}, pkey: {0x8100 + number:#x}, {index}"
            f'members: [{{pool: gpu, hosts: "{listed}", hcas: {some}, membership: full}}{guest}{storage}]}}'
        )
    return made


def _classes(draw: st.DrawFn) -> list[str]:
    levels = draw(st.permutations((1, 2, 3)))
    made = [f"{{name: nccl, use: nccl, sl: {levels[0]}, weight: {draw(st.integers(1, 255))}}}"]
    if draw(st.booleans()):
        made.append(f"{{name: files, use: storage, sl: {levels[1]}, rate_limit: 100G}}")
    if draw(st.booleans()):
        made.append(f"{{name: ip, use: ipoib, sl: {levels[2]}, vl: {draw(st.integers(0, 3))}}}")
    return made
