"""The site file: racks and positions, kept apart from intent."""

from __future__ import annotations

from typing import Annotated

from .fields import Count, HostList, Name, Number, Section, doc


class Rack(Section):
    """One rack."""

    name: Annotated[Name, doc("The rack", "A01", "none")]
    row: Annotated[Count, doc("Its row", 1, "none")] = 0
    position: Annotated[Count, doc("Its place in the row", 4, "none")] = 0
    hosts: Annotated[HostList | None, doc("Hosts in it", "dgx-[001-004]", "none")] = None
    switches: Annotated[HostList | None, doc("Switches in it", "leaf-u01-r[0-7]", "none")] = None


class Site(Section):
    """Where things stand."""

    ibgen: Annotated[Count, doc("Language version", 1, "none", ge=1, le=1)] = 1
    rack_pitch_m: Annotated[
        Number, doc("Metres from one rack to the next, for the lengths in the cable list", 0.6, "none", gt=0)
    ] = 0.6
    row_pitch_m: Annotated[Number, doc("Metres from one row to the next", 3.0, "none", gt=0)] = 3.0
    slack_m: Annotated[Number, doc("Metres added to every cable", 2.0, "none", ge=0)] = 2.0
    racks: Annotated[tuple[Rack, ...], doc("The racks", [{"name": "A01", "hosts": "dgx-[001-004]"}], "none")] = ()
