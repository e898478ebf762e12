"""`nccl`: what the communication library is told, beyond what the fabric decides."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .fields import Name, Scalar, Section, Text, doc
from .form import Form

VersionText = Annotated[str, Form(r"2\.[0-9]{1,3}(\.[0-9]{1,3})?", "a release of NCCL 2, such as 2.27 or 2.27.3")]
ParameterName = Annotated[str, Form(r"NCCL_[A-Z0-9_]+", "a name that starts with `NCCL_`, then capitals, digits and `_`")]


class Setting(Section):
    """One parameter set by hand, with the reason it is."""

    value: Annotated[Scalar, doc("The value, verbatim", "4", "host-env")]
    reason: Annotated[Text, doc("Why it stands here", "measured on 512 nodes, ticket 71", "none")]


class NcclPool(Section):
    """Settings of one pool."""

    settings: Annotated[
        dict[ParameterName, Setting],
        doc("Parameters by hand", {"NCCL_IB_QPS_PER_CONNECTION": {"value": "4", "reason": "ECMP"}}, "host-env"),
    ] = Field(default_factory=dict)
    socket_interface: Annotated[
        Annotated[
            str, Form(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,14}", "an interface's name: letters, digits, `_`, `.` and `-`, 15 at most")
        ]
        | None,
        doc("Interface of the bootstrap, matched exactly", "bond0", "host-env"),
    ] = None


class Nccl(Section):
    """The communication library."""

    version: Annotated[VersionText, doc("Oldest NCCL that will read the files", "2.27", "host-env")]
    pools: Annotated[dict[Name, NcclPool], doc("By pool", {"gpu": {}}, "host-env")] = Field(default_factory=dict)
