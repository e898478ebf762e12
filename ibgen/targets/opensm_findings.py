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

    Whoever has the M_Key, SM_Key or SA_Key can take over the subnet; the spec and the tree live in Git. `control.secrets` says
    where a key lies on the manager's host; install.sh puts it into opensm.conf there.

    Bad:
        fabrics:
          - name: compute
            control: {options: {m_key: "0x1122334455667788"}}
    Good:
        fabrics:
          - name: compute
            control: {secrets: {m_key: {file: /etc/opensm/keys/m_key}}, options: {m_key_protection_level: "2"}}
    """,
)

LIST_SWITCH = declare(
    "IBG353",
    "manager-list-switch",
    Severity.ERROR,
    """A list under `control.files` names a switch or a port that the subnet does not have.

    OpenSM leaves such a line out and says so only in its most talkative log.

    Bad:
        fabrics:
          - name: compute
            control: {routing: [updn], files: {hop_weights: [{switches: leaf-u09, to: spine-01, weight: 2}]}}
    Good:
        fabrics:
          - name: compute
            control: {routing: [updn], files: {hop_weights: [{switches: leaf-u01, to: spine-01, weight: 2}]}}
    """,
)

STABLE_LIDS = declare(
    "IBG354",
    "stable-lids",
    Severity.ERROR,
    """Stable LIDs are asked for and cannot be planned.

    Each leaf gets a block of LIDs for itself and its ports, so that no host moves another; the blocks of all leaves and one LID
    for every other switch must stay below 49,152. More than one LID per port (`lmc`) is not planned.

    Bad:
        fabrics:
          - name: compute
            control: {options: {lmc: "1"}, files: {stable_lids: yes}}
    Good:
        fabrics:
          - name: compute
            control: {files: {stable_lids: yes}}
    """,
)
