"""`slurm/`: topology.conf, nodes.conf and gres.conf for the declared Slurm version.

Takes the `Scheduler`. Lines stay simple, for others read these files too and split at commas in brackets: one bracket a name,
at its end, no continuation lines. SwitchName and BlockName are never folded: slurmctld reads `leaf[1-2]` as one literal name.
"""

from __future__ import annotations

from collections.abc import Iterator

from ibgen.compilation import Complete
from ibgen.hostlist import fold
from ibgen.targets.slurm import DRAGONFLY, Scheduler
from ibgen.targets.slurm_nodes import GpuLine, JobPartition, NodeGroup

from . import Artifact, emitter
from .text import header, jinja_environment

MEANING = {
    "tree": "One leaf is one scalable unit, never a rail leaf.",
    "dragonfly": "One leaf is one group of the dragonfly, never a router.",
    "block": "One block is one NVLink domain; the order of the lines is the physical adjacency.",
}


@emitter("slurm")
def slurm(c: Complete) -> Iterator[Artifact]:
    """The three files. No topology.conf without a topology, for an empty one is fatal from 25.11; no gres.conf without GPUs."""
    scheduler = c.targets.slurm
    if scheduler is None:
        return
    templates = jinja_environment("slurm")
    head = header(c.spec.cluster)
    nodes = {
        "settings": _settings(scheduler),
        "nodes": [_node(group) for group in scheduler.nodes],
        "partitions": [_partition(p) for p in scheduler.partitions],
    }
    yield Artifact("slurm/nodes.conf", templates.get_template("nodes.conf.j2").render(header=head, **nodes).encode())
    lines = _topology(scheduler)
    if lines:
        text = templates.get_template("topology.conf.j2").render(header=head, meaning=MEANING[_meaning(scheduler)], lines=lines)
        yield Artifact("slurm/topology.conf", text.encode())
    if scheduler.gpus:
        text = templates.get_template("gres.conf.j2").render(header=head, lines=[_gpus(line) for line in scheduler.gpus])
        yield Artifact("slurm/gres.conf", text.encode())


def _meaning(s: Scheduler) -> str:
    return "dragonfly" if DRAGONFLY in s.params else s.shape


def _settings(s: Scheduler) -> list[str]:
    """The keys of slurm.conf without which the node and partition lines would mean something else."""
    lines = [f"TopologyPlugin=topology/{s.plugin}"]
    if s.params:
        lines.append(f"TopologyParam={','.join(s.params)}")
    if s.gpus:
        lines.append("GresTypes=gpu")
    if s.numa_sockets:
        lines.append("SlurmdParameters=numa_node_as_socket")
    return lines


def _topology(s: Scheduler) -> list[str]:
    lines = [
        f"SwitchName={switch.name} "
        + (f"Switches={fold(switch.children)}" if switch.children else f"Nodes={fold(switch.hosts)}")
        for switch in s.switches
    ]
    lines += [f"BlockName={block.name} Nodes={fold(block.hosts)}" for block in s.blocks]
    if s.block_sizes:
        lines.append(f"BlockSizes={','.join(map(str, s.block_sizes))}")
    return lines


def _node(group: NodeGroup) -> str:
    words = [f"NodeName={fold(group.hosts)}"]
    if group.sockets is not None:
        x = group.sockets
        words += [f"Sockets={x.sockets}", f"CoresPerSocket={x.cores}", f"ThreadsPerCore={x.threads}"]
    elif group.cpus is not None:
        words.append(f"CPUs={group.cpus}")
    if group.memory_mb is not None:
        words.append(f"RealMemory={group.memory_mb}")
    if group.gpu is not None:
        words.append(f"Gres=gpu:{group.gpu}:{group.gpus}")
    # one Weight everywhere: a lighter node outbids the topology (measured, 25.11)
    words += [f"Feature={','.join(group.features)}", "Weight=1", f"State={group.state}"]
    if group.state == "DOWN":
        words.append("Reason=out_of_service_in_spec")
    return " ".join(words)


def _gpus(line: GpuLine) -> str:
    first, last = line.first + line.offset, line.last + line.offset
    files = f"{line.device}{first}" if first == last else f"{line.device}[{first}-{last}]"
    cores = f" Cores={line.cores[0]}-{line.cores[1]}" if line.cores else ""
    return f"NodeName={fold(line.hosts)} Name=gpu Type={line.gpu} File={files}{cores}"


def _partition(p: JobPartition) -> str:
    words = [f"PartitionName={p.name}", f"Nodes={fold(p.hosts)}"]
    words += ["Default=YES"] * p.default
    words += [f"MaxTime={p.max_time}"] * (p.max_time is not None)
    words += ["OverSubscribe=EXCLUSIVE"] * p.exclusive
    return " ".join([*words, "State=UP"])
