from __future__ import annotations

from collections.abc import Iterator

from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec

INDEX = "NCCL_IB_PKEY"


@rule("IBG368", "pkey-index-by-hand", Severity.WARNING)
def pkey_index_by_hand(spec: ClusterSpec) -> Iterator[Finding]:
    """NCCL_IB_PKEY is set by hand.

    It is an index of the P_Key table, not a P_Key, and where the manager puts a key differs from host to host and from
    adapter to adapter (MicrosoftDocs/azure-docs#69185, NVIDIA/nccl#1323). Without it the index is looked up when a job starts,
    or the key is given by value where the library reads NCCL_IB_PKEY_VALUE.

    Bad:
        nccl: {version: "2.27", pools: {gpu: {settings: {NCCL_IB_PKEY: {value: 1, reason: our tenant}}}}}
    Good:
        nccl: {version: "2.27"}
    """
    for pool, settings in (spec.nccl.pools if spec.nccl else {}).items():
        setting = settings.settings.get(INDEX)
        if setting is not None:
            yield pkey_index_by_hand.finding(
                f"{INDEX}={setting.value} holds for all adapters of all hosts of `{pool}`, and their tables may differ",
                ("nccl", "pools", pool, "settings", INDEX),
                on="key",
                hint="take it out: the index is looked up on the host",
            )
