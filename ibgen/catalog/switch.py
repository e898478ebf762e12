"""Switches by model: cage -> port -> lanes, what can be split, and how a port is called on the box.

Ports count from 1 and are the data ports only. Rates are data rates of one port in Gb/s, latency in ns, power in W.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from .fact import Amount, Fact, Gbps, Maybe, Row


class Split(Row):
    """One way to share a port's lanes: `ways` ports of `lanes` lanes and `rate_gbps` each. `profile` must be set first."""

    ways: int = Field(ge=2, le=8)
    rate_gbps: Gbps
    lanes: int = Field(ge=1, le=8)
    profile: Annotated[str | None, Maybe] = None


class SwitchModel(Fact):
    """A switch. `management_ports` are in-band ports outside the radix: dumps show `radix` plus these.

    `latency_ns` is (low, high): public figures disagree, so a range and never a constant; absent where nobody states one.
    """

    fabric: Literal["infiniband", "ethernet"] = "infiniband"
    generation: str
    radix: int = Field(ge=1)
    rate_gbps: Gbps
    cages: int = Field(ge=1)
    ports_per_cage: int = Field(default=1, ge=1, le=8)
    lanes_per_port: int = Field(default=4, ge=1, le=8)
    splits: tuple[Split, ...] = ()
    management_ports: int = Field(default=0, ge=0)
    latency_ns: Annotated[tuple[Amount, Amount] | None, Maybe] = None
    managed: bool = True
    sharp: Annotated[str | None, Maybe] = None
    power_typical_w: Annotated[Amount | None, Maybe] = None
    power_max_w: Annotated[Amount | None, Maybe] = None
    price_usd: Annotated[Amount | None, Maybe] = None

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.cages * self.ports_per_cage != self.radix:
            raise ValueError(f"{self.cages} cages x {self.ports_per_cage} ports are not the {self.radix} ports stated")
        if self.latency_ns and self.latency_ns[0] > self.latency_ns[1]:
            raise ValueError("latency_ns is (low, high)")
        for s in self.splits:
            if s.ways * s.lanes > self.lanes_per_port:
                raise ValueError(f"a {s.ways}-way split into {s.lanes} lanes needs more than {self.lanes_per_port} lanes")
            if s.ways * s.rate_gbps > self.rate_gbps:
                raise ValueError(f"a {s.ways}-way split at {s.rate_gbps:g} Gb/s exceeds the port's {self.rate_gbps:g} Gb/s")
            # Two-lane InfiniBand links exist from HDR on (HDR100, NDR200, XDR400): dell/omnia PR 2059, netbox PR 23163.
            if self.fabric == "infiniband" and self.generation in ("SDR", "DDR", "QDR", "FDR", "EDR"):
                raise ValueError(f"{self.generation} ports cannot be split: two-lane links exist from HDR on")
        return self

    def split(self, ways: int) -> Split | None:
        """The split mode with so many ports, or None where the switch has none."""
        return next((s for s in self.splits if s.ways == ways), None)

    def ports_when_split(self, ways: int) -> int:
        """Data ports when every port is split: QM9700 128, QM8700 80. Raises ValueError where the switch cannot."""
        if self.split(ways) is None:
            raise ValueError(f"{self.id} has no {ways}-way split")
        return self.radix * ways

    def cage_of(self, port: int) -> int:
        """The cage, from 1, that carries a port."""
        self._port(port)
        return (port - 1) // self.ports_per_cage + 1

    def port_label(self, port: int, split_lane: int | None = None) -> str:
        """What the box calls a port: cage/port where a cage has several, then the split lane.

        Twin-port cages: 1 -> `1/1`, 2 -> `1/2`, 3 -> `2/1`, port 1 lane 2 -> `1/1/2`. Single-port cages: 7 -> `7`, lane 1
        -> `7/1`. The leading slot number of the switch's own command line (`ib 1/7`, MLNX-OS user manual) is left out.
        """
        self._port(port, split_lane)
        place = [port] if self.ports_per_cage == 1 else [self.cage_of(port), (port - 1) % self.ports_per_cage + 1]
        return "/".join(map(str, [*place, split_lane] if split_lane is not None else place))

    def ib_port(self, port: int, split_lane: int | None = None, ways: int = 2) -> int:
        """The number the subnet manager sees. Under a split profile every port takes `ways` numbers, so port p starts at
        ways x (p - 1) + 1; without a lane the port is taken as not split and on an unsplit switch."""
        self._port(port, split_lane, ways)
        return port if split_lane is None else ways * (port - 1) + split_lane

    def _port(self, port: int, split_lane: int | None = None, ways: int | None = None) -> None:
        if not 1 <= port <= self.radix:
            raise ValueError(f"{self.id} has ports 1 to {self.radix}, not {port}")
        if split_lane is None:
            return
        most = ways if ways is not None else max((s.ways for s in self.splits), default=0)
        if self.split(most) is None:
            raise ValueError(f"the ports of {self.id} cannot be split{f' {ways} ways' if ways and self.splits else ''}")
        if not 1 <= split_lane <= most:
            raise ValueError(f"a split port of {self.id} has lanes 1 to {most}, not {split_lane}")
