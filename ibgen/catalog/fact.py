"""What every row of the catalog is: an id, the values, and where they were read.

Gives `Row` (how the models read: frozen, unknown keys refused, numbers also as text) and `Fact` (a row of its own).
"""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ibgen import units


class Row(BaseModel):
    """A mapping in a catalog file. Scalars may arrive as text: `"400"`, `"true"`, `"2026-08-06"`."""

    # The schemas are built at first use: a run that asks for one platform does not pay for every other kind.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, coerce_numbers_to_str=True)


def _absent(value: object) -> object:
    # Plain scalars stay text, so a null that was written out arrives as its word.
    return None if isinstance(value, str) and value in ("null", "~", "") else value


Maybe = BeforeValidator(_absent)
"""For optional fields: a written `null` means absent."""

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""A measure that cannot be negative; the field's name says its unit."""


def _rate(value: object) -> object:
    if not isinstance(value, str) or _absent(value) is None:
        return _absent(value)
    return units.rate_gbps(value)


Gbps = Annotated[float, BeforeValidator(_rate), Field(gt=0, allow_inf_nan=False)]
"""A port's data rate in Gb/s; a user's file may write `400`, `400G` or `NDR`."""


class Fact(Row):
    """One row with its origin.

    `source`: the document it was read in. `unverified`: no document was checked for the row. `unverified_fields`: only these
    lack one, dotted (`price_usd_h`, `hcas.storage.name`). A plan that rests on a doubtful field gets a warning.
    """

    id: str = Field(min_length=1)
    aliases: tuple[str, ...] = ()
    source: str = ""
    as_of: Annotated[date | None, Maybe] = None
    unverified: bool = False
    unverified_fields: tuple[str, ...] = ()
    note: str = ""

    def doubts(self, *fields: str) -> list[str]:
        """Which of `fields` no document stands behind; without arguments: all that are doubtful in this row.

        A field covers its parts and belongs to its whole: `hcas` meets `hcas.storage.name`, and so does
        `hcas.storage.name.0`. Every field of a wholly unverified row is doubtful.
        """
        if self.unverified:
            return sorted(set(fields) or (self.model_fields_set - set(Fact.model_fields)))
        if not fields:
            return sorted(self.unverified_fields)
        return sorted({known for known in self.unverified_fields for used in fields if _meets(known, used)})


def _meets(one: str, other: str) -> bool:
    short, long = sorted((one.split("."), other.split(".")), key=len)
    return long[: len(short)] == short
