from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec


@rule("IBG336", "protection-without-key", Severity.WARNING)
def protection_without_key(spec: ClusterSpec) -> Iterator[Finding]:
    """Protection of the M_Key is asked for, and there is no M_Key.

    `m_key_protection_level` and `m_key_per_port` say what a port does to strangers who do not know its key. While the key is 0,
    OpenSM's default, everybody does.

    Bad:
        fabrics: [{name: compute, control: {options: {m_key_protection_level: "2"}}}]
    Good:
        fabrics:
          - name: compute
            control: {options: {m_key_protection_level: "2"}, secrets: {m_key: {file: /etc/opensm/keys/m_key}}}
    """
    for i, fabric in enumerate(spec.fabrics):
        asked = fabric.control.options.get("m_key_protection_level", "0").strip()
        if fabric.control.kind == "opensm" and asked not in ("0", "0x0") and "m_key" not in fabric.control.secrets:
            yield protection_without_key.finding(
                "the M_Key is 0: there is nothing to protect",
                ("fabrics", i, "control", "options", "m_key_protection_level"),
                hint="say where a key lies: `secrets: {m_key: {file: /etc/opensm/keys/m_key}}`",
            )
