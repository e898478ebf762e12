"""What can be wrong with a user's own catalog file."""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

UNKNOWN_KEY = declare(
    "IBG020",
    "catalog-unknown-key",
    Severity.ERROR,
    """A catalog file uses a key that ibgen does not know.

    A misspelt field would otherwise be dropped in silence and the shipped value or a default would be used in its place. The
    top level of a catalog file holds `platforms`, `switches`, `cables`, `clouds`, `gpus` and `hcas`; each is a list of rows.

    Bad:
        catalog: [hardware.yaml]
        # file: hardware.yaml
        switches:
          - id: site-leaf
            generation: NDR
            radix: 64
            rate_gbps: 400
            cages: 32
            port_per_cage: 2
            source: vendor data sheet, 2025-03

    Good:
        catalog: [hardware.yaml]
        # file: hardware.yaml
        switches:
          - id: site-leaf
            generation: NDR
            radix: 64
            rate_gbps: 400
            cages: 32
            ports_per_cage: 2
            source: vendor data sheet, 2025-03
    """,
)

OVERRIDE = declare(
    "IBG021",
    "catalog-override-unsaid",
    Severity.ERROR,
    """A catalog file replaces a shipped row without saying so.

    Two files that both define `qm9700` leave a reader guessing which one a plan rests on. With `override: true` the fields that
    are given replace the shipped ones and the others stay. To describe different hardware, choose another id.

    Bad:
        catalog: [hardware.yaml]
        # file: hardware.yaml
        switches:
          - {id: qm9700, power_max_w: 1800, source: "measured on site"}

    Good:
        catalog: [hardware.yaml]
        # file: hardware.yaml
        switches:
          - {id: qm9700, override: true, power_max_w: 1800, source: "measured on site"}
    """,
)

BAD_VALUE = declare(
    "IBG022",
    "catalog-bad-value",
    Severity.ERROR,
    """A row of a catalog file has a value its field cannot take, lacks a required one, or contradicts itself.

    Every plan, bandwidth and price is computed from these rows, so nothing is guessed: 64 ports in 32 single-port cages are
    refused, and so is a device listed twice.

    Bad:
        catalog: [hardware.yaml]
        # file: hardware.yaml
        gpus:
          - {id: site-gpu, memory_gb: eighty, source: vendor data sheet}

    Good:
        catalog: [hardware.yaml]
        # file: hardware.yaml
        gpus:
          - {id: site-gpu, memory_gb: 80, source: vendor data sheet}
    """,
)

NO_SOURCE = declare(
    "IBG023",
    "catalog-no-source",
    Severity.WARNING,
    """A row of a catalog file does not say where its values come from.

    It is used, but counts as unverified, and a plan that rests on it carries a warning. Give `source` (a data sheet, a page, a
    measurement), or write `unverified: true` to say that you know.

    Bad:
        catalog: [hardware.yaml]
        # file: hardware.yaml
        gpus:
          - {id: site-gpu, memory_gb: 80}

    Good:
        catalog: [hardware.yaml]
        # file: hardware.yaml
        gpus:
          - {id: site-gpu, memory_gb: 80, source: vendor data sheet}
    """,
)

TWICE = declare(
    "IBG024",
    "catalog-name-twice",
    Severity.ERROR,
    """Two rows of one kind answer to the same name.

    An id or alias must lead to one row only, whatever the order of the files.

    Bad:
        catalog: [hardware.yaml]
        # file: hardware.yaml
        gpus:
          - {id: site-gpu, memory_gb: 80, source: vendor data sheet}
          - {id: site-gpu, memory_gb: 96, source: vendor data sheet}

    Good:
        catalog: [hardware.yaml]
        # file: hardware.yaml
        gpus:
          - {id: site-gpu, memory_gb: 80, source: vendor data sheet}
          - {id: site-gpu-96, memory_gb: 96, source: vendor data sheet}
    """,
)

NOTHING_TO_OVERRIDE = declare(
    "IBG025",
    "catalog-overrides-nothing",
    Severity.WARNING,
    """A row says `override: true`, but no shipped row has that id.

    Either the id is misspelt, and the shipped row is still the one in use, or the row is new and needs no `override`.

    Bad:
        catalog: [hardware.yaml]
        # file: hardware.yaml
        gpus:
          - {id: H100-SXM6, override: true, memory_gb: 96, source: vendor data sheet}

    Good:
        catalog: [hardware.yaml]
        # file: hardware.yaml
        gpus:
          - {id: H100-SXM, override: true, memory_gb: 96, source: vendor data sheet}
    """,
)
