from __future__ import annotations

from collections.abc import Iterator

from ibgen.catalog import Catalog
from ibgen.checks import rule
from ibgen.diagnostics import Finding, Severity
from ibgen.spec import ClusterSpec, InlinePlatform


@rule("IBG136", "port-is-a-device", Severity.WARNING)
def port_is_a_device(spec: ClusterSpec, catalog: Catalog) -> Iterator[Finding]:
    """A second port of an adapter whose driver shows each port as a device of its own.

    A dual-port card of these models is two devices with port 1 each: mlx5_0 and mlx5_1 (NVIDIA/nccl#2097). `mlx5_0:2` is in
    no list of ports that NCCL or UCX find, so they leave half of the card idle without a word. Describe two adapters;
    `ibstat -l` prints their names. Their shares of one slot are said by `width`.

    Bad:
        pools:
          - name: wide
            hosts: "wide-[1-2]"
            platform: {kind: generic, hcas: [{name: mlx5_0, model: cx7, rate: 200G, ports: 2}]}
    Good:
        pools:
          - name: wide
            hosts: "wide-[1-2]"
            platform:
              kind: generic
              hcas: [{name: mlx5_0, model: cx7, rate: 200G, width: 8}, {name: mlx5_1, model: cx7, rate: 200G, width: 8}]
    """
    for p, pool in enumerate(spec.pools):
        for n, hca in enumerate(pool.platform.hcas if isinstance(pool.platform, InlinePlatform) else ()):
            model = catalog.hca(hca.model)
            # what has planes of its own behind a port has ports of its own too: ConnectX-8 shows up to 12 (scitix/sichek PR 98)
            if model is not None and model.planes == 1 and hca.ports > model.ports:
                yield port_is_a_device.finding(
                    f"`{hca.name}` is one port of a `{model.id}`; its second port is another device",
                    ("pools", p, "platform", "hcas", n, "ports"),
                    hint="describe each port as an adapter of its own, with the name that `ibstat -l` prints",
                )
