"""The offline referee itself: every sample is accepted, every damaged copy is refused for the reason it was damaged."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from tfoffline import extract_docs, mirror, referee, rules, schemas, values, wire

HERE = Path(__file__).resolve().parent
SAMPLES = HERE / "samples"
NOT_OURS = {"nebius": "nebius/nebius", "crusoe": "crusoecloud/crusoe", "coreweave": "coreweave/coreweave"}
WRONG_TYPE = "Incorrect attribute value type|Inappropriate value"

needs_terraform = pytest.mark.skipif(not referee.available(), reason="no terraform on PATH (or TF_OFFLINE_TERRAFORM)")


@dataclass(frozen=True)
class Damage:
    """One edit of a sample's main.tf, and what must then be said about it."""

    sample: str
    what: str
    pattern: str
    replacement: str
    said: str

    def __str__(self) -> str:
        return f"{self.sample}-{self.what.replace(' ', '-')}"


DAMAGES = [
    Damage("aws", "misspelt attribute", r"instance_type( +)= \"p5", r'instance_typo\1= "p5', "Unsupported argument"),
    Damage("aws", "missing required", r"\n  ip_protocol +=.*", "", "Missing required argument"),
    Damage("aws", "wrong type", r"volume_size = 500", 'volume_size = "big"', WRONG_TYPE),
    Damage("aws", "unknown block", r"metadata_options \{", "metadata_option {", "Unsupported block type"),
    Damage("aws", "provider rule", r'strategy = "cluster"', 'strategy = "rail"', "Invalid value"),
    Damage("aws", "rule inside dynamic block", r'1, type = "efa-only"', '1, type = "efa_only"', "Invalid value"),
    Damage("aws", "bad reference", r"aws_vpc\.this\.id", "aws_vpc.that.id", "Reference to undeclared resource"),
    Damage("aws", "unknown type", r'"aws_placement_group"', '"aws_placement_grp"', "Invalid resource type"),
    Damage("aws", "version pin", r'">= 6.0, < 7.0"', '"~> 4.0"', "Failed to query available provider packages"),
    Damage("aws", "unformatted", r"cidr_block           =", "cidr_block =", "not formatted"),
    Damage("azurerm", "misspelt attribute", r"(single_placement_gr)oup( +)=", r"\1up\2=", "Unsupported argument"),
    Damage("azurerm", "missing required", r"\n  sku +=.*\n", "\n", "Missing required argument"),
    Damage("azurerm", "wrong type", r"instances( +)= 4", r'instances\1= ["4"]', WRONG_TYPE),
    Damage("azurerm", "missing block", r"(?s)\n  os_disk \{.*?\n  \}\n", "\n", "Insufficient os_disk blocks"),
    Damage(
        "azurerm",
        "argument of the older major",
        r"accelerated_networking_enabled",
        "enable_accelerated_networking",
        "Unsupported",
    ),
    Damage(
        "azurerm-4",
        "argument of the newer major",
        r"enable_accelerated_networking",
        "accelerated_networking_enabled",
        "Unsupported",
    ),
    Damage("google", "misspelt attribute", r"network_profile( +)= \"", r'network_profil\1= "', "Unsupported argument"),
    Damage("google", "missing required", r"\n  machine_type =.*\n", "\n", "Missing required argument"),
    Damage("google", "wrong type", r"disk_size_gb = 200", "disk_size_gb = [200]", WRONG_TYPE),
    Damage("google", "provider rule", r'"MRDMA"', '"RDMA"', "Invalid value"),
    Damage("oci", "misspelt attribute", r"primary_subnet_id +=", "primary_subnet  =", "Unsupported argument"),
    Damage("oci", "missing required", r"\n    size +=.*\n", "\n", "Missing required argument"),
    Damage("oci", "wrong type", r"size( +)= 4", r'size\1= "four"', WRONG_TYPE),
    Damage("nebius", "misspelt attribute", r"infiniband_fabric =", "infiniband_fabrik =", "Unsupported argument"),
    Damage("nebius", "missing required", r"\n  infiniband_fabric =.*\n", "\n", "Missing required argument"),
    Damage("nebius", "wrong type", r'"512"|512', '"many"', WRONG_TYPE),
    Damage("nebius", "nested key", r"subnet_id( +)= var", r"subnett_id\1= var", f"unknown keys|{WRONG_TYPE}"),
    Damage("nebius", "silent optional key", r"source_image_family = \{", "source_image_famly = {", "unknown keys"),
    Damage("crusoe", "misspelt attribute", r"ib_network_id =", "ib_netwrk_id =", "Unsupported argument"),
    Damage("crusoe", "missing required", r"\n  ssh_key .*\n", "\n", "Missing required argument"),
    Damage("crusoe", "wrong type", r"host_channel_adapters = \[", 'host_channel_adapters = ["x",', WRONG_TYPE),
    Damage("coreweave", "misspelt attribute", r"pod_cidr_name( +)=", r"pod_cidr_nam\1=", "Unsupported argument"),
    Damage("coreweave", "missing required", r"\n  vpc_id .*\n", "\n", "Missing required argument"),
    Damage("coreweave", "wrong type", r"public( +)= false", r'public\1= "maybe"', WRONG_TYPE),
]


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment that points terraform at the offline mirror."""
    return mirror.offline_environment(tmp_path_factory.mktemp("mirror"))


def skip_without_schema(sample: str) -> None:
    """Skips a sample whose provider is served by no schema folder."""
    if sample in NOT_OURS and (why := schemas.why_absent(NOT_OURS[sample], schemas.served())):
        pytest.skip(why)


@needs_terraform
@pytest.mark.terraform
@pytest.mark.slow
@pytest.mark.parametrize("sample", sorted(p.name for p in SAMPLES.iterdir()))
def test_sample_is_formatted_valid_and_plans(sample: str, env: dict[str, str]) -> None:
    skip_without_schema(sample)
    outcome = referee.examine(SAMPLES / sample, "plan", env)
    assert outcome.status == 0, outcome.output
    assert re.search(r"Plan: [1-9]\d* to add, 0 to change, 0 to destroy", outcome.output), outcome.output


@needs_terraform
@pytest.mark.terraform
@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES, ids=str)
def test_damaged_copy_is_refused(damage: Damage, env: dict[str, str], tmp_path: Path) -> None:
    skip_without_schema(damage.sample)
    folder = tmp_path / "copy"
    shutil.copytree(SAMPLES / damage.sample, folder)
    text, edits = re.subn(damage.pattern, damage.replacement, (folder / "main.tf").read_text(), count=1)
    assert edits == 1, "the damage does not apply to the sample any more"
    (folder / "main.tf").write_text(text)
    outcome = referee.examine(folder, "plan", env, fmt=damage.what == "unformatted")
    assert outcome.status != 0
    assert re.search(damage.said, outcome.output), outcome.output


AZURERM = """
terraform {{
  required_providers {{
    azurerm = {{
      source  = "hashicorp/azurerm"
      version = "{pin}"
    }}
  }}
}}

resource "azurerm_virtual_network" "this" {{
  name                = "n"
  location            = "westus"
  resource_group_name = "g"
  address_space       = ["10.0.0.0/16"]
  subnet = [{{
    name                                          = "s"
    address_prefixes                              = ["10.0.0.0/24"]
    default_outbound_access_enabled               = false
    delegation                                    = []
    id                                            = null
    private_endpoint_network_policies             = null
    private_link_service_network_policies_enabled = null
    route_table_id                                = null
    security_group                                = null
    service_endpoint_policy_ids                   = []
{keys}
  }}]
}}
"""


@needs_terraform
@pytest.mark.terraform
@pytest.mark.parametrize(
    ("pin", "keys", "status"),
    [
        ("~> 4.0", ["service_endpoints"], 0),
        ("~> 4.0", ["service_endpoints", "service_endpoint"], referee.UNKNOWN_KEY),
        ("~> 5.0", ["service_endpoint"], 0),
        ("~> 5.0", ["service_endpoint", "service_endpoints"], referee.UNKNOWN_KEY),
    ],
)
def test_key_check_reads_the_major_that_terraform_selected(
    pin: str, keys: list[str], status: int, env: dict[str, str], tmp_path: Path
) -> None:
    """`subnet` objects carry `service_endpoints` in azurerm 4 and `service_endpoint` in 5; terraform drops the other one."""
    text = AZURERM.format(pin=pin, keys="\n".join(f"    {k} = []" for k in keys))
    (tmp_path / "main.tf").write_text(text)
    outcome = referee.examine(tmp_path, "validate", env, fmt=False)
    assert outcome.status == status, outcome.output
    assert status == 0 or f"azurerm_virtual_network.this.subnet[0].{keys[1]}" in outcome.output


@needs_terraform
@pytest.mark.terraform
def test_a_changed_name_replaces_and_a_changed_count_does_not(env: dict[str, str], tmp_path: Path) -> None:
    folder, state = tmp_path / "copy", tmp_path / "s.tfstate"
    shutil.copytree(SAMPLES / "oci", folder)
    main = folder / "main.tf"
    assert referee.examine(folder, "apply", env, state=state).status == 0
    main.write_text(main.read_text().replace("= 4\n", "= 5\n"))
    plan = referee.examine(folder, "plan", env, state=state, as_json=True).plan
    actions = [r["change"]["actions"] for r in plan["resource_changes"] if r["change"]["actions"] != ["no-op"]]
    assert actions == [["update"]]


@pytest.mark.terraform
@pytest.mark.skipif(shutil.which("sh") is None, reason="no sh")
def test_the_wrapper_runs_the_terraform_it_is_told_to(tmp_path: Path) -> None:
    """TF_OFFLINE_TERRAFORM names the binary for every step."""
    fake = tmp_path / "my-terraform"
    fake.write_text('#!/bin/sh\necho "my terraform was asked to: $*"\nexit 7\n')
    fake.chmod(0o755)
    variables = {
        "TF_OFFLINE_TERRAFORM": str(fake),
        "TF_OFFLINE_PYTHON": sys.executable,
        "TF_OFFLINE_CACHE": str(tmp_path / "c"),
    }
    done = subprocess.run(
        [HERE / "tf-offline", SAMPLES / "oci", "fmt"], env=os.environ | variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == referee.UNFORMATTED
    assert "my terraform was asked to: fmt -check" in done.stdout


def test_a_missing_extra_folder_is_a_reason_to_skip_that_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_OFFLINE_EXTRA_SCHEMAS", "no/such/folder")
    served = schemas.served()
    assert schemas.why_absent("hashicorp/aws", served) == ""
    assert schemas.why_absent("nebius/nebius", served) == (
        "no schema for nebius/nebius in no/such/folder (set TF_OFFLINE_EXTRA_SCHEMAS)"
    )


def test_the_extra_folder_adds_no_second_copy_of_what_the_project_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_OFFLINE_EXTRA_SCHEMAS", str(schemas.OWN))
    assert schemas.served() == schemas.in_folder(schemas.OWN)


def test_schemas_read_from_documentation_are_not_committed() -> None:
    assert {s.source for s in schemas.in_folder(schemas.OWN)}.isdisjoint(NOT_OURS.values())


def test_every_rule_names_its_source() -> None:
    book = json.loads(schemas.RULES.read_text())
    assert [name for name, entries in book.items() for rule in entries if not rule.get("source")] == []


def test_every_rule_speaks_of_an_attribute_that_some_schema_has() -> None:
    """A misspelt path in rules.json would pass everything in silence."""
    known: dict[str, list[dict[str, object]]] = {}
    for s in schemas.served():
        for name, block in schemas.blocks({s.source: s.version}, [s]).items():
            known.setdefault(name, []).append(block)
    book = json.loads(schemas.RULES.read_text())
    for name, entries in book.items():
        for rule in entries:
            paths = (
                [rule["path"]]
                if "path" in rule
                else [p for k in ("force_new", "conflicts", "one_of", "any_of") for p in rule.get(k, [])]
            )
            for path in paths:
                assert any(_has(block, path.split(".")) for block in known[name]), f"{name}: {path}"


def _has(block: dict[str, object], steps: list[str]) -> bool:
    name, rest = steps[0].removesuffix("[]"), steps[1:]
    nested = block.get("block_types", {})
    if isinstance(nested, dict) and name in nested:
        return not rest or _has(nested[name]["block"], rest)
    attributes = block.get("attributes", {})
    return isinstance(attributes, dict) and name in attributes and not rest


def test_messages_survive_the_wire() -> None:
    """Protobuf's own example: field 1 = 150 is 08 96 01 (encoding guide of the protocol buffers documentation)."""
    assert wire.encode((1, 150)) == b"\x08\x96\x01"
    assert wire.encode((2, "testing")) == b"\x12\x07testing"
    assert wire.decode(b"\x08\x96\x01\x12\x07testing") == {1: [150], 2: [b"testing"]}
    assert wire.attribute_path(["disks", 0]) == wire.encode((1, wire.encode((1, "disks"))), (1, b"\x18\x00"))


def test_unknowns_survive_the_wire_and_break_no_rule() -> None:
    value = {"strategy": values.UNKNOWN, "name": None}
    assert values.load(values.dump(value)) == value
    assert list(rules.check([{"path": "strategy", "in": ["cluster"]}, {"conflicts": ["name", "strategy"]}], value)) == []


def test_a_documentation_page_becomes_a_block() -> None:
    """The form terraform-plugin-docs writes: groups, types in words, nested schemas under headings of their own."""
    page = """# thing

## Schema

### Required

- `name` (String) The name.
- `gpu` (Attributes List) GPUs. (see [below for nested schema](#nestedatt--gpu))

### Optional

- `tags` (Map of String) Tags.
- `timeouts` (Block, Optional) (see [below for nested schema](#nestedblock--timeouts))

### Read-Only

- `id` (String) Id.

### Nested Schema for `gpu`

Optional:

- `count` (Number) How many.

### Nested Schema for `timeouts`

Optional:

- `create` (String)

## Import

- `not` (String) an attribute
"""
    block = extract_docs.block(extract_docs.sections(page))
    assert block["attributes"]["name"] == {"required": True, "type": "string"}
    assert block["attributes"]["tags"] == {"optional": True, "computed": True, "type": ["map", "string"]}
    assert block["attributes"]["gpu"]["nested_type"]["nesting_mode"] == "list"
    assert block["attributes"]["gpu"]["nested_type"]["attributes"]["count"]["type"] == "number"
    assert block["block_types"]["timeouts"]["nesting_mode"] == "single"
    assert "not" not in block["attributes"]
