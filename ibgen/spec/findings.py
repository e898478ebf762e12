"""What loading a spec can find (IBG030 to IBG049)."""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

UNKNOWN_KEY = declare(
    "IBG030",
    "unknown-key",
    Severity.ERROR,
    """A key that the language does not have.

    Nothing is ever ignored in a spec: a misspelt key would otherwise silently mean the default.

    Bad:
        cluster: lab
        slurm: {version: "24.11", topologie: tree}
    Good:
        cluster: lab
        slurm: {version: "24.11", topology: tree}
    """,
)

MISSING_KEY = declare(
    "IBG031",
    "missing-key",
    Severity.ERROR,
    """A key that the section cannot do without.

    Bad:
        pools: [{name: spare, platform: dgx-h100}]
    Good:
        pools: [{name: spare, hosts: "spare-[1-2]", platform: dgx-h100}]
    """,
)

WRONG_TYPE = declare(
    "IBG032",
    "wrong-type",
    Severity.ERROR,
    """A mapping where a list belongs, a list where a value belongs, or a null.

    A key with nothing behind it is a null in YAML. Leave the key out to get its default.

    Bad:
        ibgen: 1
        cluster: lab
        pools: [{name: gpu, hosts: "node-[01-04]", platform: dgx-h100}]
        slurm:
    Good:
        slurm: {version: "24.11"}
    """,
)

BAD_VALUE = declare(
    "IBG033",
    "bad-value",
    Severity.ERROR,
    """A value the field cannot mean, or one outside its range.

    Strings that reach a config file are held to characters that no target format can be broken by.

    Bad:
        requirements: {pcie_match: eighty}
    Good:
        requirements: {pcie_match: 0.8}
    """,
)

UNKNOWN_KIND = declare(
    "IBG034",
    "unknown-kind",
    Severity.ERROR,
    """A `kind` (or `provider`, or one of a fixed set of words) that the language does not have.

    Bad:
        requirements: {pcie_match: 0.8}
        slurm: {version: "24.11", topology: trees}
    Good:
        slurm: {version: "24.11", topology: tree}
    """,
)

UNKNOWN_REFERENCE = declare(
    "IBG035",
    "unknown-reference",
    Severity.ERROR,
    """A name that points at a pool, fabric or host the spec does not have.

    Bad:
        slurm: {version: "24.11", partitions: [{name: train, pools: [gpus]}]}
    Good:
        slurm: {version: "24.11", partitions: [{name: train, pools: [gpu]}]}
    """,
)

DUPLICATE_NAME = declare(
    "IBG036",
    "duplicate-name",
    Severity.ERROR,
    """Two entries of one list have the same name.

    Names are identities: files, targets and overlays find an entry by its name.

    Bad:
        slurm:
          version: "24.11"
          partitions: [{name: train}, {name: train, default: true}]
    Good:
        slurm:
          version: "24.11"
          partitions: [{name: train, default: true}, {name: debug}]
    """,
)

DUPLICATE_HOST = declare(
    "IBG037",
    "duplicate-host",
    Severity.ERROR,
    """One host stands in two pools, or twice in one.

    Slurm would let the first definition win in silence (needs 20); here a host is defined once and referred to.

    Bad:
        pools: [{name: spare, hosts: "node-[04-05]", platform: dgx-h100}]
    Good:
        pools: [{name: spare, hosts: "node-[05-06]", platform: dgx-h100}]
    """,
)

UNREADABLE_COMPANION = declare(
    "IBG038",
    "unreadable-companion",
    Severity.ERROR,
    """A file the spec names (bindings, site, catalog) cannot be read.

    Bad:
        site: nowhere.site.yaml
    Good:
        requirements: {pcie_match: 0.8}
    """,
)

LANGUAGE_VERSION = declare(
    "IBG039",
    "language-version",
    Severity.ERROR,
    """The spec is written in a version of the language that this ibgen does not know.

    `ibgen: 1` is the version of the language, not of the tool. A newer number needs a newer ibgen.

    Bad:
        ibgen: 2
        cluster: lab
        pools: [{name: gpu, hosts: "node-[01-04]", platform: dgx-h100}]
    Good:
        ibgen: 1
        cluster: lab
        pools: [{name: gpu, hosts: "node-[01-04]", platform: dgx-h100}]
    """,
)

WRITTEN_TWICE = declare(
    "IBG040",
    "written-twice",
    Severity.ERROR,
    """One word or number stands twice in a list.

    The second one changes nothing: an engine that failed fails again, a pool is in a partition once. Another one was meant, or
    the line was copied.

    Bad:
        fabrics: [{name: compute, control: {routing: [ar_updn, ar_updn]}}]
    Good:
        fabrics: [{name: compute, control: {routing: [ar_updn, updn]}}]
    """,
)

RACK_TWICE = declare(
    "IBG214",
    "rack-twice",
    Severity.ERROR,
    """The site has two racks of one name, or two racks in one place of a row.

    Cable lists name the rack of each end. Two racks called A01 send people to the wrong one. Racks without `row` and
    `position` are not compared by place.

    Bad:
        site: lab.site.yaml
        # file: lab.site.yaml
        racks:
          - {name: A01, hosts: "node-[01-02]"}
          - {name: A01, hosts: "node-[03-04]"}
    Good:
        site: lab.site.yaml
        # file: lab.site.yaml
        racks:
          - {name: A01, hosts: "node-[01-02]"}
          - {name: A02, hosts: "node-[03-04]"}
    """,
)

RACKED_TWICE = declare(
    "IBG215",
    "in-two-racks",
    Severity.ERROR,
    """A host or a switch stands in two racks.

    The last one would win, and the cable list would name a rack in which the port is not.

    Bad:
        site: lab.site.yaml
        # file: lab.site.yaml
        racks:
          - {name: A01, hosts: "node-[01-02]"}
          - {name: A02, hosts: "node-[02-04]"}
    Good:
        site: lab.site.yaml
        # file: lab.site.yaml
        racks:
          - {name: A01, hosts: "node-[01-02]"}
          - {name: A02, hosts: "node-[03-04]"}
    """,
)

NOT_IN_CLUSTER = declare(
    "IBG216",
    "racked-but-unknown",
    Severity.ERROR,
    """The site puts a host or a switch into a rack that the spec does not have.

    Its cables would be listed without a rack, and nobody would miss it. Hosts belong under `hosts`, switches under
    `switches`, by the names that `ibgen show cables` prints. Switches are compared when every fabric could be built.

    Bad:
        site: lab.site.yaml
        # file: lab.site.yaml
        racks: [{name: A01, hosts: "node-[01-05]"}]
    Good:
        site: lab.site.yaml
        # file: lab.site.yaml
        racks: [{name: A01, hosts: "node-[01-04]"}]
    """,
)
