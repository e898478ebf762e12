"""Clouds: how far a fabric reaches, how many hosts it takes, which Terraform providers know it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .fact import Fact, Maybe, Row


class CloudFabric(Row):
    """A named fabric of a provider: the GPUs it serves and where."""

    name: str
    gpu: Annotated[str | None, Maybe] = None
    region: Annotated[str | None, Maybe] = None


class Provider(Row):
    """A Terraform provider whose schema was read: `major` is the series to pin, `checked` the version that was read."""

    name: str
    major: int = Field(ge=0)
    checked: str


class Cloud(Fact):
    """A provider. `scope` says among which hosts the fast network works, `placement` what keeps them together."""

    limits: dict[str, int] = Field(default_factory=dict)
    placement: str = ""
    scope: str = ""
    regions: tuple[str, ...] = ()
    fabrics: tuple[CloudFabric, ...] = ()
    providers: tuple[Provider, ...] = ()
    notes: tuple[str, ...] = ()

    def limit(self, name: str) -> int | None:
        """A limit by name, such as azure's `single_placement_group`; None where no document states one."""
        return self.limits.get(name)

    def majors(self, provider: str) -> tuple[int, ...]:
        """The provider's major versions whose schema was read, newest first."""
        return tuple(sorted((p.major for p in self.providers if p.name == provider), reverse=True))
