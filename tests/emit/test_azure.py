"""The Azure pool as the real terraform reads it: formatted, valid, planned, and planned again after a change."""

from __future__ import annotations

import base64
import dataclasses
import itertools
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tfoffline import mirror, referee

from ibgen.emit.azure import CLOUD_INIT, render
from ibgen.emit.text import hcl, hcl_string, one_line
from ibgen.targets.azure import PLACEHOLDER_KEY, AzurePool, MarketplaceImage, NewNetwork, expectation

pytestmark = [
    pytest.mark.terraform,
    pytest.mark.skipif(not referee.available(), reason="no terraform on PATH (or TF_OFFLINE_TERRAFORM)"),
]

USER_DATA = b"#cloud-config\nwrite_files:\n  - {path: /etc/nccl.conf, content: 'NCCL_IB_HCA=mlx5_ib'}\n"
POOL = AzurePool(
    cluster="pod-a",
    name="burst",
    region="southcentralus",
    sku="Standard_ND96isr_H100_v5",
    instances=4,
    resource_group="pod-a-burst",
    image=MarketplaceImage("microsoft-dsvm", "ubuntu-hpc", "2204", "22.04.2024102301"),
    tags=(("owner", "ml-infra"), ("cost-centre", "42")),
)
VARIANTS = {
    "major-5": POOL,
    "major-4": dataclasses.replace(POOL, provider_major=4),
    "zone-and-registration": dataclasses.replace(POOL, zone="2", register_providers=True),
    "no-way-out": dataclasses.replace(POOL, network=NewNetwork(nat_gateway=False), provider_major=4),
    "own-subnet-and-image": dataclasses.replace(
        POOL, network="/subscriptions/0/subnets/c", image="/subscriptions/0/i/1", tags=()
    ),
    "no-user-data": dataclasses.replace(POOL, encryption_at_host=False, accelerated_networking=False, os_disk_gb=512),
}
SCALE_SET = "azurerm_linux_virtual_machine_scale_set.burst"
HOSTILE = [
    '${file("/etc/passwd")}',
    '"',
    "a\nb",
    "%{ if true }x%{ endif }",
    "\\",
    "$${x}",
    "$$${x}",
    "%%%{x}",
    "#",
    "*/",
    "\u2028",
    "é",
]


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    offline = mirror.offline_environment(tmp_path_factory.mktemp("mirror"))
    return offline | {"TF_VAR_ssh_public_key": PLACEHOLDER_KEY}


def write(pool: AzurePool, folder: Path, user_data: bytes | None = USER_DATA) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in render(pool, user_data):
        (folder / name).write_bytes(content)
    return folder


def planned(folder: Path, env: dict[str, str], state: Path | None = None, *, fmt: bool = True) -> dict[str, dict[str, Any]]:
    outcome = referee.examine(folder, "plan", env, state=state, as_json=True, fmt=fmt)
    assert outcome.status == 0, outcome.output
    return {r["address"]: r["change"] for r in outcome.plan["resource_changes"]}


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_tree_is_formatted_valid_and_plans_one_infiniband_scale_set(name: str, env: dict[str, str], tmp_path: Path) -> None:
    pool = VARIANTS[name]
    user_data = None if name == "no-user-data" else USER_DATA
    changes = planned(write(pool, tmp_path / "pool", user_data), env)
    sets = [c["after"] for a, c in changes.items() if "scale_set" in a]
    assert len(sets) == 1
    after = sets[0]
    assert after["instances"] == 4
    assert after["sku"] == "Standard_ND96isr_H100_v5"
    assert after["single_placement_group"] is True
    assert after["overprovision"] is False
    assert after["platform_fault_domain_count"] == 1
    assert after["upgrade_mode"] == "Manual"
    assert after["disable_password_authentication"] is True
    assert after["admin_password"] is None
    assert after["encryption_at_host_enabled"] is pool.encryption_at_host
    assert after["zones"] == (["2"] if pool.zone else None)
    assert after["network_interface"][0]["ip_configuration"][0]["public_ip_address"] == []
    assert base64.b64decode(after["custom_data"] or "") == (user_data or b"")
    assert after["tags"] == dict(pool.tags)
    accelerated = {k: v for k, v in after["network_interface"][0].items() if "accelerated" in k}
    assert list(accelerated.values()) == [pool.accelerated_networking]
    expected = expectation(pool)["resources"]
    assert isinstance(expected, dict)
    assert len(changes) == sum(expected.values())


def test_nothing_gets_in_from_the_internet_and_everything_talks_inside_the_subnet(env: dict[str, str], tmp_path: Path) -> None:
    changes = planned(write(POOL, tmp_path / "pool"), env)
    rules = [c["after"] for a, c in changes.items() if "security_rule" in a]
    inbound = sorted((r["priority"], r["access"], r["source_address_prefix"]) for r in rules if r["direction"] == "Inbound")
    assert inbound == [(100, "Allow", "10.30.0.0/20"), (4096, "Deny", "Internet")]
    assert not [r for r in rules if r["direction"] == "Outbound"]
    assert changes["azurerm_subnet.this"]["after"]["default_outbound_access_enabled"] is False


@pytest.mark.slow
@pytest.mark.parametrize("major", [4, 5])
def test_one_more_node_changes_the_set_in_place_and_destroys_nothing(major: int, env: dict[str, str], tmp_path: Path) -> None:
    pool = dataclasses.replace(POOL, provider_major=major)  # type: ignore[arg-type]
    state = tmp_path / "terraform.tfstate"
    applied = referee.examine(write(pool, tmp_path / "a"), "apply", env, state=state)
    assert applied.status == 0, applied.output
    unchanged = planned(tmp_path / "a", env, state)
    assert {a for a, c in unchanged.items() if c["actions"] != ["no-op"]} == set()
    grown = planned(write(dataclasses.replace(pool, instances=5), tmp_path / "b"), env, state)
    assert {a: c["actions"] for a, c in grown.items() if c["actions"] != ["no-op"]} == {SCALE_SET: ["update"]}
    assert (grown[SCALE_SET]["before"]["instances"], grown[SCALE_SET]["after"]["instances"]) == (4, 5)


@pytest.mark.slow
def test_a_new_image_or_new_user_data_replaces_no_running_node(env: dict[str, str], tmp_path: Path) -> None:
    """terraform-provider-azurerm#7077, #16120: `Manual` alone still rolled the instances."""
    state = tmp_path / "terraform.tfstate"
    assert referee.examine(write(POOL, tmp_path / "a"), "apply", env, state=state).status == 0
    image = MarketplaceImage("microsoft-dsvm", "ubuntu-hpc", "2204", "22.04.2025041101")
    changed = write(dataclasses.replace(POOL, image=image, os_disk_gb=512), tmp_path / "b", USER_DATA + b"# more\n")
    actions = {a: c["actions"] for a, c in planned(changed, env, state).items() if c["actions"] != ["no-op"]}
    assert actions == {SCALE_SET: ["update"]}
    outcome = referee.examine(changed, "plan", env, state=state, as_json=True)
    feature = outcome.plan["configuration"]["provider_config"]["azurerm"]["expressions"]["features"][0]
    values = {k: v["constant_value"] for k, v in feature["virtual_machine_scale_set"][0].items()}
    assert values["roll_instances_when_required"] is False
    assert values["reimage_on_manual_upgrade"] is False


def test_the_image_may_not_float(env: dict[str, str], tmp_path: Path) -> None:
    image = MarketplaceImage("microsoft-dsvm", "ubuntu-hpc", "2204", "latest")
    outcome = referee.examine(write(dataclasses.replace(POOL, image=image), tmp_path / "pool"), "plan", env)
    assert outcome.status != 0
    assert "Name an exact image version" in outcome.output


def test_a_hostile_string_stays_literal_in_the_plan(env: dict[str, str], tmp_path: Path) -> None:
    """Such strings are refused by the spec; an emitter must not be the only thing that relied on it."""
    text = " ".join(HOSTILE)
    tags = {h: h for h in HOSTILE}
    pool = dataclasses.replace(
        POOL,
        cluster=f"pod\n{text}",
        region=text,
        sku=text,
        resource_group=text,
        admin_user=text,
        image=MarketplaceImage(text, text, text, text),
        tags=tuple(tags.items()),
    )
    changes = planned(write(pool, tmp_path / "pool"), env, fmt=False)
    after = changes[SCALE_SET]["after"]
    assert {after["sku"], after["admin_username"]} == {text}
    assert set(after["source_image_reference"][0].values()) == {text}
    assert after["tags"] == tags
    group = changes["azurerm_resource_group.this"]["after"]
    assert {group["name"], group["location"]} == {text}


@pytest.mark.slow
def test_every_short_string_of_special_characters_survives_terraform(tmp_path: Path) -> None:
    """Exhaustive: all strings of up to four of the characters HCL gives a meaning to."""
    texts = ["".join(s) for n in range(5) for s in itertools.product('$%{}"\\a\n', repeat=n)]
    texts += [f"x{chr(c)}y" for c in [*range(1, 0xA1), 0x2028, 0x2029, 0xFEFF, 0xFFFD, 0xE0001, 0x1F600]]
    lines = "".join(f"    {hcl_string(t)},\n" for t in texts)
    (tmp_path / "main.tf").write_text(f'output "texts" {{\n  value = [\n{lines}  ]\n}}\n', encoding="utf-8")
    for verb in (["plan", "-out=p", "-input=false"], ["show", "-json", "p"]):
        command = [referee.terraform_program(), f"-chdir={tmp_path}", *verb]
        done = subprocess.run(command, env={"PATH": os.environ["PATH"]}, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout)["planned_values"]["outputs"]["texts"]["value"] == texts


def test_same_pool_same_bytes_whatever_the_order_of_its_tags() -> None:
    turned = dataclasses.replace(POOL, tags=POOL.tags[::-1])
    assert render(POOL, USER_DATA) == render(turned, USER_DATA)


def test_every_file_but_the_user_data_says_who_made_it() -> None:
    for name, content in render(POOL, USER_DATA):
        first = content.decode().splitlines()[0]
        assert name == CLOUD_INIT or "generated by ibgen from pod-a, do not edit" in first


def test_no_secret_and_no_key_is_written() -> None:
    text = "".join(content.decode() for _name, content in render(POOL, USER_DATA))
    assert PLACEHOLDER_KEY.split()[1] not in text
    assert "admin_password" not in text


def test_scalars_and_comments() -> None:
    assert (hcl(True), hcl(False), hcl(None), hcl(7), hcl("x")) == ("true", "false", "null", "7", '"x"')
    assert one_line("a\r\n# b\x85c\u2028d\u202ee") == "a  # b c d e"
