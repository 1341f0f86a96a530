"""Adopted clusters and node pools of which a change sets what the plan did not set before."""

import pytest
from support.transitions import change_of

PLAN = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    adopted: true
    network: {network: vpc, subnetwork: nodes}
    cpu_pools:
      default-pool: {machine_type: e2-standard-4, nodes: 3, zones: [us-east5-b], adopted: true}
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2, adopted: true}
      named: {tpu: v6e, topology: 4x4, zone: us-east5-b, adopted: {pools: [blue]}}
"""
POOL = "nodes: 3, zones: [us-east5-b], adopted: true"
NOT_ADOPTED = POOL.replace(", adopted: true", "")


def found(before: str, after: str, rule: str = "TPU977") -> list[tuple[str, str]]:
    return [(".".join(map(str, item.path)), item.message) for item in change_of(before, after) if item.rule == rule]


@pytest.mark.parametrize(
    ("old", "new", "path", "names"),
    [
        ("    adopted: true\n", "", "clusters.train", "cluster `train`"),
        (
            POOL,
            POOL.replace(", adopted: true", ""),
            "clusters.train.cpu_pools.default-pool",
            "node pool `default-pool`",
        ),
        ("count: 2, adopted: true", "count: 2", "clusters.train.slices.main", "node pools `main-0` and `main-1`"),
    ],
    ids=["cluster", "CPU pool", "slice group"],
)
def test_what_is_no_longer_adopted_is_named(old: str, new: str, path: str, names: str) -> None:
    ((where, message),) = found(PLAN, PLAN.replace(old, new))
    assert where == path
    assert message.startswith(f"Pulumi no longer leaves properties of {names} as they are, and may replace the ")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("count: 2, adopted: true", "count: 2, adopted: {}"),
        ("count: 2, adopted: true", "count: 2, adopted: {oauth_scopes: [cloud-platform]}"),
        (", adopted: {pools: [blue]}", ""),
        ("      named: {tpu: v6e, topology: 4x4, zone: us-east5-b, adopted: {pools: [blue]}}\n", ""),
    ],
    ids=["as a mapping", "with a key", "with other names, so that diff shows a deletion", "deleted"],
)
def test_other_changes_are_not_reported(old: str, new: str) -> None:
    assert old in PLAN
    assert found(PLAN, PLAN.replace(old, new)) == []


def test_to_adopt_is_not_reported() -> None:
    assert found(PLAN.replace("count: 2, adopted: true", "count: 2"), PLAN) == []


def test_a_renamed_cluster_has_the_same_cpu_pools() -> None:
    renamed = PLAN.replace("  train:\n", "  east:\n    name: train\n").replace(
        POOL, POOL.replace(", adopted: true", "")
    )
    after = f"{renamed}moved: [{{from: train, to: east}}]\n"
    assert [path for path, _ in found(PLAN, after)] == ["clusters.east.cpu_pools.default-pool"]


HOSTS = "main: {tpu: v6e, topology: 2x2, zone: us-east5-b, adopted: {nodes: 4}}"
KEPT = PLAN.replace("main: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2, adopted: true}", HOSTS).replace(
    POOL, "zones: [us-east5-b], adopted: {nodes: 3}"
)


@pytest.mark.parametrize(
    ("old", "new", "path", "message"),
    [
        (
            "adopted: {nodes: 4}",
            "count: 6, adopted: {nodes: 4}",
            "slices.main.count",
            "`main` is not known, and Pulumi sets it to 6",
        ),
        (
            "adopted: {nodes: 4}",
            "count: 4, adopted: true",
            "slices.main.count",
            "`main` is not known, and Pulumi sets it to 4",
        ),
        ("adopted: {nodes: 4}", "adopted: true", "slices.main.count", "`main` is not known, and Pulumi sets it to 1"),
        (
            "adopted: {nodes: 3}",
            "nodes: 3, adopted: true",
            "cpu_pools.default-pool.nodes",
            "`default-pool` is not known, and Pulumi sets it to 3",
        ),
    ],
    ids=["another number", "the number at creation", "the default", "CPU pool"],
)
def test_a_number_of_nodes_that_replaces_an_unknown_one_is_named(old: str, new: str, path: str, message: str) -> None:
    changed = KEPT.replace(old, new)
    assert found(KEPT, changed, "TPU978") == [(f"clusters.train.{path}", f"the present number of nodes of {message}")]


@pytest.mark.parametrize("change", [(HOSTS, HOSTS), ("main:", "other:"), ("{nodes: 4}", "{nodes: 5}")])
def test_a_number_that_stays_unknown_is_not_named(change: tuple[str, str]) -> None:
    assert found(KEPT, KEPT.replace(*change), "TPU978") == []


SETTINGS = {
    "capacity: {reservation: ours}": ("capacity", "nodeConfig.reservationAffinity"),
    "capacity: {flex_start: {queued: true}}": ("capacity", "queuedProvisioning"),
    "host_maintenance: periodic": ("host_maintenance", "nodeConfig.hostMaintenancePolicy"),
}


@pytest.mark.parametrize("key", SETTINGS)
def test_a_setting_that_an_adopted_pool_keeps_is_named(key: str) -> None:
    before = PLAN.replace("count: 2, adopted: true", f"adopted: true, {key}")
    after = PLAN.replace("count: 2, adopted: true", "adopted: true")
    name, path = SETTINGS[key]
    message = f"slice group `train/main` keeps `{path}`, which the plan no longer sets"
    assert found(before, after, "TPU979") == [(f"clusters.train.slices.main.{name}", message)]
    *above, last = path.split(".")
    extra = f"{{{last}: null}}" if not above else f"{{{above[0]}: {{{last}: null}}}}"
    assert (
        found(
            before,
            after.replace("adopted: true}\n      named", f"adopted: true, extra: {extra}}}\n      named"),
            "TPU979",
        )
        == []
    )
    assert found(before, after.replace("b, adopted: true}", "b}"), "TPU979") == []
    assert found(after, before, "TPU979") == []


def test_a_slice_that_becomes_one_host_keeps_its_placement_if_its_name_stays() -> None:
    before = PLAN.replace("[blue]", "[named]")
    after = before.replace("topology: 4x4, zone: us-east5-b, adopted: {", "topology: 2x2, zone: us-east5-b, adopted: {")
    ((path, message),) = found(before, after, "TPU979")
    assert path == "clusters.train.slices.named.topology"
    assert "keeps `placementPolicy`" in message
    assert found(PLAN, after, "TPU979") == []
