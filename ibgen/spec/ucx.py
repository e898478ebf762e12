"""`ucx`: what UCX, and MPI over it, is told beyond what the fabric decides."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .fields import Name, Section, doc
from .form import Form
from .nccl import Setting

UcxVersion = Annotated[
    str, Form(r"[0-9]{1,2}\.[0-9]{1,3}(\.[0-9]{1,3})?", "a release of UCX, two or three numbers with dots between them")
]
UcxName = Annotated[
    str,
    Form(r"(UCX|OMPI_MCA)_[A-Za-z0-9_]+", "a name that starts with `UCX_` or `OMPI_MCA_`, then letters, digits and `_`"),
    Field(max_length=49),
]
"""A variable of UCX, or a parameter of Open MPI by its variable; UCX keeps 49 characters of a name in ucx.conf."""


class UcxPool(Section):
    """Settings of one pool."""

    settings: Annotated[
        dict[UcxName, Setting],
        doc("Variables by hand", {"UCX_TLS": {"value": "rc,cuda", "reason": "no shared memory in containers"}}, "host-env"),
    ] = Field(default_factory=dict)


class Ucx(Section):
    """UCX and Open MPI."""

    version: Annotated[UcxVersion, doc("Oldest UCX that will read the files", "1.16", "host-env")]
    pools: Annotated[dict[Name, UcxPool], doc("By pool", {"gpu": {}}, "host-env")] = Field(default_factory=dict)
