"""`qos`: traffic classes of a fabric. Validated here; compiled into the manager's options by the OpenSM target."""

from __future__ import annotations

from typing import Annotated, Literal

from .fields import Count, Name, Rate, Section, doc


class TrafficClass(Section):
    """One kind of traffic and how it is treated."""

    name: Annotated[Name, doc("The class", "nccl", "reload")]
    use: Annotated[
        Literal["nccl", "ucx", "storage", "ipoib", "management", "default"], doc("What traffic it carries", "nccl", "reload")
    ] = "default"
    sl: Annotated[Count, doc("Service level", 1, "host-env", le=15)]
    vl: Annotated[Count | None, doc("Virtual lane; the service level's number unless given", 1, "sm-restart", le=14)] = None
    weight: Annotated[Count, doc("Arbitration weight", 128, "sm-restart", le=255)] = 64
    priority: Annotated[Literal["high", "low"], doc("Arbitration table", "high", "sm-restart")] = "low"
    rate_limit: Annotated[Rate | None, doc("Upper rate of the class", "100G", "reload")] = None


class Qos(Section):
    """Traffic classes."""

    classes: Annotated[
        tuple[TrafficClass, ...], doc("The classes", [{"name": "nccl", "use": "nccl", "sl": 1}], "sm-restart", min_length=1)
    ]
