"""What each version of a target knows. Expected values: reference tables measured on the real programs."""

import pytest

from ibgen.catalog import nccl, slurm, standard

CATALOG = standard()
TABLE = slurm.table(CATALOG)


@pytest.mark.parametrize(
    ("version", "plugins"),
    [
        ("22.05", {"none", "tree", "3d_torus", "hypercube"}),
        ("23.02", {"none", "tree", "3d_torus", "hypercube"}),
        ("23.11", {"default", "tree", "block", "3d_torus"}),
        ("24.05", {"default", "tree", "block", "3d_torus"}),
        ("24.11.3", {"default", "tree", "block", "3d_torus"}),
        ("25.05", {"flat", "tree", "block"}),
        ("25.11", {"flat", "tree", "block"}),
        ("26.05", {"flat", "tree", "block", "ring", "torus3d"}),
    ],
)
def test_topology_plugins_by_version(version: str, plugins: set[str]) -> None:
    assert set(TABLE.plugins(version)) == plugins


@pytest.mark.parametrize(
    ("version", "new"),
    [
        ("22.05", set()),
        ("23.11", {"RoutePart", "SwitchAsNodeRank", "RouteTree"}),
        ("24.05", {"RoutePart", "SwitchAsNodeRank", "RouteTree"}),
        ("24.11", {"RoutePart", "SwitchAsNodeRank", "RouteTree", "TopoMaxSizeUnroll"}),
        ("25.11", {"RoutePart", "SwitchAsNodeRank", "RouteTree", "TopoMaxSizeUnroll", "BlockAsNodeRank"}),
    ],
)
def test_topology_params_by_version(version: str, new: set[str]) -> None:
    assert set(TABLE.topology_params(version)) == {"Dragonfly", "TopoOptional"} | new


@pytest.mark.parametrize(
    ("version", "name"), [("20.11", "none"), ("22.05", "none"), ("23.11", "default"), ("24.11", "default"), ("25.05", "flat")]
)
def test_an_empty_pool_gets_the_flat_plugin_under_its_name_in_that_version(version: str, name: str) -> None:
    assert TABLE.flat_plugin(version) == name


def test_features_arrive_and_leave() -> None:
    assert "topology_yaml" not in TABLE.features("24.11")
    assert "topology_yaml" in TABLE.features("25.05")
    assert "job_container_tmpfs" not in TABLE.features("25.11")
    assert TABLE.introduced("BlockAsNodeRank") == "25.11"


def test_hostlist_and_cluster_limits() -> None:
    assert TABLE.limit("hosts_per_range") == 65536
    assert TABLE.limit("ranges") == 262144
    with pytest.raises(KeyError):
        TABLE.limit("nonsense")


@pytest.mark.parametrize("text", ["", "25", "v25.05", "25.x"])
def test_a_slurm_version_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Slurm version"):
        TABLE.plugins(text)


@pytest.mark.parametrize(
    ("name", "version", "default"),
    [
        ("NCCL_IB_TIMEOUT", "2.8.3", "14"),
        ("NCCL_IB_TIMEOUT", "2.18.3", "18"),
        ("NCCL_IB_TIMEOUT", "2.23.4", "20"),
        ("NCCL_IB_GID_INDEX", "2.20.5", "0"),
        ("NCCL_IB_GID_INDEX", "2.21.5", "-1"),
        ("NCCL_IB_SPLIT_DATA_ON_QPS", "2.19.3", "1"),
        ("NCCL_IB_SPLIT_DATA_ON_QPS", "2.20", "0"),
        ("NCCL_NET_GDR_C2C", "2.26.2", "0"),
        ("NCCL_NET_GDR_C2C", "2.27", "1"),
        ("NCCL_NET_GDR_C2C", "2.25", None),
    ],
)
def test_defaults_have_a_history(name: str, version: str, default: str | None) -> None:
    parameter = nccl.parameter(CATALOG, name)
    assert parameter is not None
    assert parameter.default_at(version) == default


@pytest.mark.parametrize(
    ("name", "version", "there"),
    [
        ("NCCL_IB_ADAPTIVE_ROUTING", "2.15.5", False),
        ("NCCL_IB_ADAPTIVE_ROUTING", "2.16", True),
        ("NCCL_CONF_FILE", "2.21.5", False),
        ("NCCL_CONF_FILE", "2.27.5", True),
        ("NCCL_IB_OOO_RQ", "2.29.7", False),
        ("NCCL_IB_OOO_RQ", "2.32.3", True),
        ("NCCL_LL_THRESHOLD", "2.32.3", False),
        ("NCCL_FASTRAK_IFNAME", "2.21.5", True),  # another library's variable
    ],
)
def test_a_variable_exists_from_its_first_version_on(name: str, version: str, there: bool) -> None:
    parameter = nccl.parameter(CATALOG, name)
    assert parameter is not None
    assert parameter.exists_in(version) is there


def test_debugging_variables_do_not_belong_in_standing_files() -> None:
    debugging = {p.id for p in nccl.parameters(CATALOG) if not p.standing}
    assert {"NCCL_ALGO", "NCCL_PROTO", "NCCL_P2P_DISABLE", "NCCL_IB_QPS_PER_CONNECTION", "NCCL_BUFFSIZE"} <= debugging
    assert "NCCL_IB_HCA" not in debugging


def test_a_misspelt_variable_is_unknown_to_all_owners() -> None:
    assert nccl.parameter(CATALOG, "NCCL_MIN_CHANNELS") is None
    assert nccl.parameter(CATALOG, "NCCL_IB_PKEY").note.startswith("the index")  # type: ignore[union-attr]


def test_the_pkey_variable_takes_an_index_and_another_the_value() -> None:
    by_value = nccl.parameter(CATALOG, "NCCL_IB_PKEY_VALUE")
    assert by_value is not None
    assert not by_value.exists_in("2.30.7")
