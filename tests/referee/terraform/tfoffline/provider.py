"""A Terraform provider that knows a schema and nothing else.

Speaks plugin protocol 6 as go-plugin expects it: the magic cookie in the environment, one handshake line on stdout, gRPC
on a unix socket. It

  * serves the schema given as `terraform providers schema -json`;
  * validates with the rules file (terraform itself checks names, types, required arguments and block counts);
  * plans: configured values stay, unset computed ones become unknown;
  * reads data sources: unset computed values become made-up, stable values, or those of the fixtures file;
  * applies to local state with made-up values, so that a second plan can show what a changed spec would do.

It never opens a network connection and needs no credentials.

    python -m tfoffline.provider SCHEMA.json.gz SOURCE [--rules FILE] [--fixtures FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc

from tfoffline import rules as rulebook
from tfoffline import schemas, values, wire

# hashicorp/terraform internal/plugin6/serve.go
COOKIE = ("TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
CORE_PROTOCOL, PLUGIN_PROTOCOL = 1, 6


class Provider:
    """One method per RPC, named as protocol 6 names it: bytes of the request in, bytes of the response out."""

    def __init__(self, schema: Mapping[str, Any], rules: Mapping[str, Any], fixtures: Mapping[str, Any]) -> None:
        self.schema = schema
        self.rules = rules
        self.fixtures = fixtures

    def _resource(self, name: str) -> dict[str, Any]:
        block: dict[str, Any] = self.schema["resource_schemas"][name]["block"]
        return block

    def GetProviderSchema(self, _request: bytes) -> bytes:
        return wire.provider_schema(self.schema)

    def ValidateProviderConfig(self, _request: bytes) -> bytes:
        return b""

    def ConfigureProvider(self, _request: bytes) -> bytes:
        return b""

    def StopProvider(self, _request: bytes) -> bytes:
        return b""

    def ValidateResourceConfig(self, request: bytes) -> bytes:
        return self._validate(request, "")

    def ValidateDataResourceConfig(self, request: bytes) -> bytes:
        return self._validate(request, "data.")

    def _validate(self, request: bytes, mark: str) -> bytes:
        m = wire.decode(request)
        broken = rulebook.check(self.rules.get(mark + wire.text(m, 1), []), values.load(wire.dynamic(m, 2)))
        return wire.encode(*[(1, wire.diagnostic(*b)) for b in broken])

    def UpgradeResourceState(self, request: bytes) -> bytes:
        raw = wire.decode(wire.decode(request)[3][-1])
        return wire.encode((1, wire.encode((2, raw[1][-1]))))  # the JSON form is accepted back

    def ReadResource(self, request: bytes) -> bytes:
        m = wire.decode(request)
        return wire.encode((1, m[2][-1]), (3, m.get(3, [None])[-1]))

    def PlanResourceChange(self, request: bytes) -> bytes:
        m = wire.decode(request)
        name = wire.text(m, 1)
        prior, proposed = values.load(wire.dynamic(m, 2)), values.load(wire.dynamic(m, 3))
        replace: list[wire.Field] = []
        if proposed is not None and prior is None:
            proposed = values.fill(self._resource(name), proposed, lambda _type, _path: values.UNKNOWN, "")
        elif proposed is not None:
            replace = [(2, wire.attribute_path(p)) for p in rulebook.replacing(self.rules.get(name, []), prior, proposed)]
        return wire.encode((1, _value(proposed)), *replace)

    def ApplyResourceChange(self, request: bytes) -> bytes:
        m = wire.decode(request)
        name = wire.text(m, 1)
        planned = values.load(wire.dynamic(m, 3))
        if planned is not None:
            seed = name + json.dumps(planned, sort_keys=True, default=str)
            planned = values.settle(planned, values.block_type(self._resource(name)), seed)
        return wire.encode((1, _value(planned)))

    def ImportResourceState(self, request: bytes) -> bytes:
        m = wire.decode(request)
        name, ident = wire.text(m, 1), wire.text(m, 2)
        block = self._resource(name)
        state: dict[str, Any] = dict.fromkeys(block.get("attributes", {}))
        for n, t in block.get("block_types", {}).items():
            state[n] = None if t["nesting_mode"] in ("single", "group") else []
        imported = wire.encode((1, name), (2, _value(state | {"id": ident})))
        return wire.encode((1, imported))

    def ReadDataSource(self, request: bytes) -> bytes:
        m = wire.decode(request)
        name = wire.text(m, 1)
        config = values.load(wire.dynamic(m, 2))
        block = self.schema["data_source_schemas"][name]["block"]
        for attribute, v in self.fixtures.get(name, {}).items():
            if config.get(attribute) is None and attribute in block.get("attributes", {}):
                config[attribute] = v
        seed = name + json.dumps(config, sort_keys=True, default=str)
        return wire.encode((1, _value(values.fill(block, config, lambda t, path: values.fake(t, seed + path), name))))


def _value(value: Any) -> bytes:
    return wire.encode((1, values.dump(value)))


def serve(provider: Provider, address: str, stop: threading.Event) -> grpc.Server:
    """Starts the gRPC server on `address`; `stop` is set when terraform asks for the end."""

    def handler(answer: Callable[[bytes], bytes]) -> grpc.RpcMethodHandler:
        return grpc.unary_unary_rpc_method_handler(lambda request, _context: answer(request))

    def shutdown(_request: bytes) -> bytes:
        stop.set()
        return b""

    unlimited = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), options=unlimited)
    rpcs = {name: handler(getattr(provider, name)) for name in dir(provider) if name[0].isupper()}
    # without the second service go-plugin waits two seconds before it kills us
    for service, methods in (("tfplugin6.Provider", rpcs), ("plugin.GRPCController", {"Shutdown": handler(shutdown)})):
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, methods),))
    server.add_insecure_port(address)
    server.start()
    return server


def main(argv: list[str] | None = None) -> int:
    """Shakes hands and serves until terraform says Shutdown."""
    p = argparse.ArgumentParser(prog="tfoffline.provider", description="A schema-only Terraform provider.")
    p.add_argument("schema", type=Path)
    p.add_argument("source")
    p.add_argument("--rules", type=Path)
    p.add_argument("--fixtures", type=Path)
    a = p.parse_args(argv)
    if os.environ.get(COOKIE[0]) != COOKIE[1]:
        print("This is a Terraform provider: terraform starts it, not you.", file=sys.stderr)
        return 1
    if os.environ.get("PLUGIN_CLIENT_CERT"):
        print("set TF_DISABLE_PLUGIN_TLS=1: this provider serves no TLS", file=sys.stderr)
        return 1
    rules, fixtures = (json.loads(f.read_text()) if f else {} for f in (a.rules, a.fixtures))
    stop = threading.Event()
    with tempfile.TemporaryDirectory(prefix="tfo") as folder:
        socket = f"{folder}/s"  # unix socket paths are limited to 107 bytes: keep it short
        server = serve(Provider(schemas.provider(a.schema, a.source), rules, fixtures), f"unix:{socket}", stop)
        print(f"{CORE_PROTOCOL}|{PLUGIN_PROTOCOL}|unix|{socket}|grpc|", flush=True)
        stop.wait()
        server.stop(0.2).wait()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
