"""Codes raised while it is decided what the subnet manager will be told."""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

MANAGER_OPTION = declare(
    "IBG351",
    "manager-option",
    Severity.ERROR,
    """An option under `control.options` is none of the manager's, or its value is one the manager would not read.

    OpenSM answers an unknown option and a value out of range with one line on stdout, keeps the default and exits 0; a boolean
    that is anything but `TRUE` is false, and it does not say so. ibgen knows every option of upstream's manager by name, type
    and range, and NVIDIA's by name. `true` and `yes` are written as OpenSM's `TRUE`.

    Bad:
        fabrics:
          - name: compute
            control: {options: {sweep_intervall: "30"}}
    Good:
        fabrics:
          - name: compute
            control: {options: {sweep_interval: "30"}}
    """,
)

MANAGER_SECRET = declare(
    "IBG352",
    "manager-secret",
    Severity.ERROR,
    """A management key stands in the spec.

    Whoever has the M_Key, SM_Key or SA_Key can take over the subnet; the spec and the tree live in Git. Keys are set on the
    manager's host.

    Bad:
        fabrics:
          - name: compute
            control: {options: {m_key: "0x1122334455667788"}}
    Good:
        fabrics:
          - name: compute
            control: {options: {m_key_protection_level: "2"}}
    """,
)
