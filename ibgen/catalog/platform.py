"""Hosts as the catalog knows them: GPUs, HCAs, PCIe and NUMA places, and how a host is written inline.

Takes mappings (shipped rows, a user's rows, an inline definition). Gives `Platform` with its `Hca` and `Cpu`.
Rates are data rates of one port in Gb/s. The order in which HCAs are written is the order of the rails within a role.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from .fact import Amount, Fact, Gbps, Maybe, Row

Role = Literal["compute", "storage", "management"]
Link = Literal["infiniband", "ethernet", "efa", "gvnic"]
Index = Annotated[int, Field(ge=0)]


class Hca(Row):
    """One adapter of a host, by its device name.

    `rate_gbps` is the data rate of one port. `gpu` is the GPU it is paired with; several HCAs may name one GPU. Where a NIC
    serves several GPUs, `gpu` is absent and `pcie_switch` names the group (see `Platform.gpu_pcie_switch`).
    `pcie_gen` and `pcie_width` are the adapter's own slot. `cage` is the label on the host's back plate (`OSFP4P2`).
    """

    name: str = Field(min_length=1)
    model: Annotated[str | None, Maybe] = None
    ports: int = Field(default=1, ge=1, le=16)
    rate_gbps: Gbps
    role: Role = "compute"
    link: Link = "infiniband"
    pcie_gen: Annotated[int | None, Maybe] = Field(default=None, ge=1, le=7)
    pcie_width: int = Field(default=16, ge=1, le=32)
    numa: Annotated[Index | None, Maybe] = None
    gpu: Annotated[Index | None, Maybe] = None
    pcie_switch: Annotated[Index | None, Maybe] = None
    cage: Annotated[str | None, Maybe] = None

    @property
    def total_gbps(self) -> float:
        """All ports together."""
        return self.ports * self.rate_gbps


class Numa(Row):
    """One NUMA node: its physical cores (`0-55`, no SMT siblings) and the GPUs next to it."""

    id: Index
    cores: str = ""
    gpus: tuple[Index, ...] = ()


class Cpu(Row):
    """The processors of a host. `logical` counts hardware threads (a cloud's vCPUs); `memory_mb` is what is installed (MiB)."""

    model: str = ""
    logical: Annotated[int | None, Maybe] = Field(default=None, ge=1)
    sockets: Annotated[int | None, Maybe] = Field(default=None, ge=1)
    cores_per_socket: Annotated[int | None, Maybe] = Field(default=None, ge=1)
    threads_per_core: Annotated[int | None, Maybe] = Field(default=None, ge=1)
    numa_nodes: Annotated[int | None, Maybe] = Field(default=None, ge=1)
    memory_mb: Annotated[int | None, Maybe] = Field(default=None, ge=1)
    numa: tuple[Numa, ...] = ()


class Platform(Fact):
    """A kind of host. `gpu_numa` and `gpu_pcie_switch` hold one number per GPU, or nothing where it is not known.

    `nccl` is the vendor's recommendation for a standing file, `nccl_bench` for benchmarks only, `nccl_script` the vendor's own
    script that sets it, `set_by_plugin` what the vendor's plugin sets without being asked. `cages` and `ports_per_cage` count
    the host's network cages; `hca.cage` names them where a document does.
    """

    kind: Literal["bare-metal", "cloud", "generic"] = "bare-metal"
    gpu: Annotated[str | None, Maybe] = None
    gpus: int = Field(default=0, ge=0)
    gpu_numa: tuple[Index, ...] = ()
    gpu_pcie_switch: tuple[Index, ...] = ()
    hcas: tuple[Hca, ...] = ()
    excluded_hcas: tuple[str, ...] = ()
    cages: Annotated[int | None, Maybe] = Field(default=None, ge=1)
    ports_per_cage: int = Field(default=1, ge=1, le=4)
    cpu: Cpu = Cpu()
    nvlink_domain_hosts: int = Field(default=1, ge=1)
    nvlink_gbs_bidir: Annotated[Amount | None, Maybe] = None
    fabric: Annotated[str | None, Maybe] = None
    frontend_gbps: Annotated[Amount | None, Maybe] = None
    frontend_ifname: Annotated[str | None, Maybe] = None
    nccl: dict[str, str] = Field(default_factory=dict)
    nccl_bench: dict[str, str] = Field(default_factory=dict)
    nccl_script: Annotated[str | None, Maybe] = None
    set_by_plugin: dict[str, str] = Field(default_factory=dict)
    topo_file: Annotated[str | None, Maybe] = None
    limits: dict[str, int] = Field(default_factory=dict)
    power_kw: Annotated[Amount | None, Maybe] = None
    price_usd_h: Annotated[Amount | None, Maybe] = None

    @field_validator("hcas", mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return spread(value)

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        names = [h.name for h in self.hcas]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"HCA {name} is listed {names.count(name)} times")
            if name in self.excluded_hcas:
                raise ValueError(f"HCA {name} is both listed and excluded")
        for hca in self.hcas:
            if hca.gpu is not None and hca.gpu >= self.gpus:
                raise ValueError(f"HCA {hca.name} is paired with GPU {hca.gpu}, but the host has {self.gpus} GPUs")
        for word, per_gpu in (("gpu_numa", self.gpu_numa), ("gpu_pcie_switch", self.gpu_pcie_switch)):
            if per_gpu and len(per_gpu) != self.gpus:
                raise ValueError(f"{word} has {len(per_gpu)} entries for {self.gpus} GPUs")
        if self.gpus and not self.gpu:
            raise ValueError(f"{self.gpus} GPUs without a GPU model")
        return self

    def by_role(self, role: str) -> tuple[Hca, ...]:
        """The HCAs of one role, or `all`, in rail order."""
        return tuple(h for h in self.hcas if role in ("all", h.role))

    def hca(self, name: str) -> Hca | None:
        return next((h for h in self.hcas if h.name == name), None)

    def hcas_of_gpu(self, gpu: int) -> tuple[Hca, ...]:
        """The compute HCAs paired with a GPU, else those under its PCIe switch; empty where no document pairs them."""
        paired = tuple(h for h in self.by_role("compute") if h.gpu == gpu)
        if paired or gpu >= len(self.gpu_pcie_switch):
            return paired
        group = self.gpu_pcie_switch[gpu]
        return tuple(h for h in self.by_role("compute") if h.gpu is None and h.pcie_switch == group)

    @property
    def compute_gbps(self) -> float:
        """What the host can send into the compute fabric."""
        return sum(h.total_gbps for h in self.by_role("compute"))


def generic(
    id: str,
    hcas: Sequence[Hca | Mapping[str, object]],
    *,
    gpu: str | None = None,
    gpus: int = 0,
    cpu: Cpu | Mapping[str, object] | None = None,
    source: str = "given in the spec",
) -> Platform:
    """A host described where it is used. It is the author's own statement, so it counts as verified.

    Raises `pydantic.ValidationError` when the parts contradict each other. Rates are numbers here.
    """
    rows = [h.model_dump() if isinstance(h, Hca) else dict(h) for h in hcas]
    cpu_row = cpu.model_dump() if isinstance(cpu, Cpu) else dict(cpu or {})
    row = {"id": id, "kind": "generic", "gpu": gpu, "gpus": gpus, "hcas": rows, "cpu": cpu_row, "source": source}
    return Platform.model_validate(row)


_RANGE = re.compile(r"([^\[\]]*)\[(\d{1,4})-(\d{1,4})\]")
_PLURALS = {"names": "name", "gpus": "gpu", "numas": "numa", "pcie_switches": "pcie_switch", "cages": "cage"}


def spread(hcas: Any) -> Any:
    """The short form written out: one entry with `names` becomes one HCA per name.

    `{names: [mlx5_0, mlx5_3], gpus: [0, 1], numas: [0, 0], rate_gbps: 400}` or `{names: "ibp[0-7]", ...}`. A plural list has
    one value per name. Raises ValueError (pydantic reports it) where the lengths differ.
    """
    if not isinstance(hcas, list | tuple):
        return hcas
    out: list[Any] = []
    for entry in hcas:
        out += _one_per_name(entry) if isinstance(entry, Mapping) and "names" in entry else [entry]
    return out


def _one_per_name(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    names = _names(entry["names"])
    shared = {k: v for k, v in entry.items() if k not in _PLURALS}
    rows = [shared | {"name": name} for name in names]
    for plural, single in _PLURALS.items():
        values = entry.get(plural)
        if plural == "names" or values is None:
            continue
        if not isinstance(values, list | tuple) or len(values) != len(names):
            raise ValueError(f"`{plural}` needs one entry for each of the {len(names)} names")
        for row, value in zip(rows, values, strict=True):
            row[single] = value
    return rows


def _names(value: Any) -> list[str]:
    if isinstance(value, list | tuple):
        return [str(name) for name in value]
    m = _RANGE.fullmatch(str(value))
    if m is None:
        raise ValueError(f"expected a list of names or one range such as mlx5_ib[0-7], got {value}")
    return [f"{m[1]}{n}" for n in range(int(m[2]), int(m[3]) + 1)]
