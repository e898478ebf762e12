"""Prints what it costs to read 50,000 lines of YAML with positions. Run: `python tests/bench/source_load.py [lines]`."""

from __future__ import annotations

import resource
import sys
import time

from _ruamel_yaml import CParser, StreamEndEvent

from ibgen.source import parse


def explicit_spec(lines: int) -> str:
    """Hosts with four HCAs each, one mapping a line, as in an exported inventory."""
    out = ["ibgen: 1", "pools:"]
    host = 0
    while len(out) < lines:
        out += [f"  - name: dgx-{host:05d}", "    hcas:"]
        out += [f"      - {{name: mlx5_{j}, port: 1, guid: 0x{host * 4 + j:016x}}}" for j in range(4)]
        host += 1
    return "\n".join(out[:lines]) + "\n"


def events_only(text: str) -> None:
    """The floor: libyaml's events, thrown away."""
    step = CParser(text).get_event
    while type(step()) is not StreamEndEvent:
        pass


def main() -> None:
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    text = explicit_spec(lines)
    for name, run in (("events only", events_only), ("source.parse", lambda t: parse(t, "bench.yaml"))):
        start = time.process_time()
        run(text)
        print(f"{name:14} {lines} lines, {len(text) / 1e6:.1f} MB: {time.process_time() - start:.3f} s CPU")
    print(f"peak memory    {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
