"""Rules about workloads on several slice groups: TPU332 to TPU337, and the rules about sizes and quotas."""

from collections.abc import Mapping

import pytest
import yaml
from support.kubernetes_plans import findings, told

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

_PLACE = "tpu: v6e, topology: 4x4"
_ZONE = "zone: us-east5-b"
GROUPS = {
    "ours": f"{_PLACE}, count: 2, capacity: {{reservation: ours}}, node_labels: {{pool: ours}}",
    "theirs": f"{_PLACE}, count: 2, capacity: {{reservation: theirs}}, node_labels: {{pool: theirs}}",
    "spot": f"{_PLACE}, count: {{max: 4}}, capacity: spot",
    "queued": f"{_PLACE}, count: {{max: 2}}, capacity: {{flex_start: {{queued: true, max_run_duration: 3d}}}}",
    "longer": f"{_PLACE}, count: {{max: 2}}, capacity: {{flex_start: {{queued: true, max_run_duration: 5d}}}}, "
    "node_labels: {pool: longer}",
    "flex": f"{_PLACE}, count: {{max: 2}}, capacity: flex_start",
    "fixed": f"{_PLACE}, count: 2, node_labels: {{pool: fixed}}",
    "growing": f"{_PLACE}, count: {{min: 1, max: 2}}, node_labels: {{pool: growing}}",
    "wide": "tpu: v6e, topology: 4x8, count: 2, capacity: {reservation: wide}, node_labels: {pool: wide}",
    "old": "tpu: v5e, topology: 4x4, count: 2, capacity: {reservation: old}, node_labels: {pool: old}",
    "dense": "tpu: v6e, topology: 2x4, chips_per_host: 8, count: 2, capacity: {reservation: dense}",
    "sparse": "tpu: v6e, topology: 2x4, chips_per_host: 4, count: 2, capacity: {reservation: sparse}",
    "class": f"{_PLACE}, count: {{max: 2}}, capacity: spot, fallback: [flex_start]",
    "plain": f"{_PLACE}, count: 2",
    "alone": f"{_PLACE}, count: 1",
    "claims": f"{_PLACE}, count: 2, node_labels: {{pool: claims}}, driver_mode: dynamic_resource_allocation",
}


def cluster(names: str, workloads: Mapping[str, str], more: str = "", queues: str = "{q: {}}") -> str:
    """A cluster with some of the groups and workloads with these keys."""
    slices = ", ".join(f"{name}: {{{GROUPS[name]}, {_ZONE}}}" for name in names.split())
    runs = ", ".join(f"{name}: {{image: train, {keys}}}" for name, keys in workloads.items())
    return f"slices: {{{slices}}}\nkubernetes: {{queues: {queues}, workloads: {{{runs}}}}}\n{more}"


def of_order(order: str, keys: str = "queue: q", groups: str = "", **more: str) -> str:
    """A cluster with one workload on the groups of an order, as ``ours, spot``."""
    first, *others = order.split()
    return cluster(groups or order, {"run": f"slices: {first}, fallback: [{', '.join(others)}], {keys}"}, **more)


RUN = "kubernetes.workloads.run"


@pytest.mark.parametrize(
    ("order", "keys", "expected"),
    [
        ("ours spot", "queue: q", []),
        ("ours spot", "count: 1", [f"TPU332 {RUN}.fallback"]),
        ("ours theirs spot", "queue: q", []),
        ("ours theirs", "queue: q", []),
        ("ours wide", "queue: q", [f"TPU333 {RUN}.fallback[0]"]),
        ("ours spot old", "queue: q", [f"TPU333 {RUN}.fallback[1]", f"TPU336 {RUN}.fallback[0]"]),
        ("dense sparse", "queue: q", [f"TPU333 {RUN}.fallback[0]"]),
        ("ours class", "queue: q", [f"TPU333 {RUN}.fallback[0]"]),
        ("class ours", "queue: q", [f"TPU333 {RUN}.slices", f"TPU336 {RUN}.slices"]),
        ("queued longer", "queue: q", [f"TPU333 {RUN}.fallback[0]", "TPU335 slices.queued", f"TPU336 {RUN}.slices"]),
        ("spot ours", "queue: q", [f"TPU336 {RUN}.slices"]),
        ("flex ours", "queue: q", [f"TPU336 {RUN}.slices"]),
        ("queued spot", "queue: q", [f"TPU336 {RUN}.slices"]),
        ("ours queued spot", "queue: q", [f"TPU336 {RUN}.fallback[0]"]),
        ("fixed spot", "queue: q", []),
        ("growing spot", "queue: q", [f"TPU336 {RUN}.slices"]),
        ("plain spot", "queue: q", ["TPU335 slices.plain"]),
        ("plain ours", "queue: q", ["TPU335 slices.plain"]),
        ("alone ours", "queue: q", []),
        ("fixed claims", "queue: q", [f"TPU333 {RUN}.fallback[0]"]),
        ("claims fixed", "queue: q", [f"TPU333 {RUN}.fallback[0]"]),
        ("ours spot", "queue: q, kind: deployment", [f"TPU712 {RUN}.kind"]),
        ("ours spot", "queue: q, extended_run: true", [f"TPU710 {RUN}.extended_run"]),
        ("ours spot", "queue: q, grace_period: 10m", [f"TPU709 {RUN}.grace_period"]),
    ],
)
def test_orders_of_groups(order: str, keys: str, expected: list[str], catalog: Catalog) -> None:
    assert sorted(told(of_order(order, keys), catalog)) == sorted(expected)


@pytest.mark.parametrize(
    "keys", ["slices: ours, fallback: [ours], queue: q", "slices: ours, fallback: [spot, spot], queue: q"]
)
def test_a_group_is_listed_once(keys: str, catalog: Catalog) -> None:
    (found,) = [item for item in findings(cluster("ours spot", {"run": keys}), catalog) if item.rule == "TPU333"]
    assert found.message.startswith("duplicate slice group")


def test_the_difference_of_shapes_is_named(catalog: Catalog) -> None:
    def message(order: str) -> str:
        (found,) = [item for item in findings(of_order(order), catalog) if item.rule == "TPU333"]
        return found.message

    assert "topology 4x8, not 4x4" in message("ours wide")
    assert "v5e, not v6e" in message("ours old")
    assert "machine type" in message("dense sparse")
    assert "driver mode device_plugin, not dynamic_resource_allocation" in message("claims fixed")
    assert "ComputeClass" in message("ours class")
    assert "5d" in message("queued longer")


def test_an_unknown_group_is_reported_with_the_nearest_name(catalog: Catalog) -> None:
    text = cluster("ours spot", {"run": "slices: ours, fallback: [spto], queue: q"})
    (found,) = findings(text, catalog)
    assert (found.rule, found.path[-2:]) == ("TPU700", ("fallback", 0))
    assert found.fix == "spot"


@pytest.mark.parametrize(
    ("workloads", "place"),
    [
        ({"a": "ours spot", "b": "ours spot"}, None),
        ({"a": "ours spot", "b": "spot ours"}, "b.fallback[0]"),
        ({"a": "ours spot", "b": "spot queued"}, None),
        ({"a": "ours spot", "b": "spot queued", "c": "queued ours"}, "c.fallback[0]"),
        ({"a": "ours spot", "b": "spot queued", "c": "ours queued"}, None),
        ({"a": "ours spot queued", "b": "ours queued spot"}, "b.fallback[1]"),
    ],
)
def test_orders_of_one_queue_agree(workloads: dict[str, str], place: str | None, catalog: Catalog) -> None:
    keys = {}
    for name, order in workloads.items():
        first, *others = order.split()
        keys[name] = f"slices: {first}, fallback: [{', '.join(others)}], queue: q, kind: jobset"
    found = [item for item in findings(cluster("ours spot queued", keys), catalog) if item.rule == "TPU334"]
    assert [".".join(map(str, item.path[4:])).replace(".0", "[0]").replace(".1", "[1]") for item in found] == (
        [] if place is None else [place]
    )
    if found:
        assert "workload `a`" in found[0].message or "workload `b`" in found[0].message
        assert f"workload `{place[0] if place else ''}`" in found[0].message


def test_workloads_of_two_queues_can_have_two_orders(catalog: Catalog) -> None:
    keys = {
        "a": "slices: ours, fallback: [spot], queue: q",
        "b": "slices: spot, fallback: [ours], queue: r",
    }
    queues = "{q: {chips: {ours: 16, spot: 32}}, r: {chips: {ours: 16, spot: 32}}}"
    assert told(cluster("ours spot", keys, queues=queues), catalog) == ["TPU336 kubernetes.workloads.b.slices"]


@pytest.mark.parametrize(
    ("kind", "count", "expected"),
    [
        ("jobset", 2, []),
        ("jobset", 3, [f"TPU703 {RUN}.count"]),
        ("leaderworkerset", 6, []),
        ("leaderworkerset", 7, [f"TPU703 {RUN}.count"]),
    ],
)
def test_a_job_fits_each_group_and_a_server_all_together(
    kind: str, count: int, expected: list[str], catalog: Catalog
) -> None:
    assert told(of_order("ours spot", f"queue: q, kind: {kind}, count: {count}"), catalog) == expected


def test_a_job_must_also_fit_the_later_groups(catalog: Catalog) -> None:
    text = of_order("theirs ours", "queue: q, count: 2").replace(
        "count: 2, capacity: {reservation: ours}", "capacity: {reservation: ours}"
    )
    assert told(text, catalog) == [f"TPU703 {RUN}.fallback[0]"]


@pytest.mark.parametrize(
    ("kind", "queues", "expected"),
    [
        ("jobset", "{q: {chips: {ours: 32, spot: 32}}}", []),
        ("jobset", "{q: {chips: {ours: 32}}}", [f"TPU705 {RUN}.fallback[0]"]),
        ("jobset", "{q: {chips: {spot: 32}}}", [f"TPU705 {RUN}.queue"]),
        ("jobset", "{q: {chips: {ours: 32, spot: 16}}}", [f"TPU705 {RUN}.fallback[0]"]),
        ("jobset", "{q: {chips: {ours: 16, spot: 32}}}", [f"TPU705 {RUN}.queue"]),
        ("leaderworkerset", "{q: {chips: {ours: 16, spot: 16}}}", []),
        ("leaderworkerset", "{q: {chips: {ours: 16, spot: 15}}}", [f"TPU705 {RUN}.queue"]),
    ],
)
def test_the_queue_has_quota_for_each_group(kind: str, queues: str, expected: list[str], catalog: Catalog) -> None:
    assert told(of_order("ours spot", f"queue: q, kind: {kind}, count: 2", queues=queues), catalog) == expected


@pytest.mark.parametrize(
    ("slices", "mode", "expected"),
    [
        (
            "a: {tpu: v6e, topology: 4x4, capacity: {reservation: ours}}, b: {tpu: v6e, topology: 4x4, capacity: spot}",
            "autopilot",
            [],
        ),
        ("a: {tpu: v6e, topology: 4x4, capacity: {reservation: ours}}, b: {tpu: v6e, topology: 4x4}", "autopilot", []),
        (
            "a: {tpu: v6e, topology: 4x4, capacity: spot}, b: {tpu: v6e, topology: 4x4, capacity: spot}",
            "autopilot",
            [f"TPU335 {RUN}.fallback[0]", f"TPU335 {RUN}.slices", f"TPU336 {RUN}.slices"],
        ),
        (
            "a: {tpu: v6e, topology: 4x4}, b: {tpu: v6e, topology: 4x4, capacity: spot}",
            "autopilot",
            [f"TPU336 {RUN}.slices"],
        ),
    ],
)
def test_on_autopilot(slices: str, mode: str, expected: list[str], catalog: Catalog) -> None:
    run = "{slices: a, fallback: [b], image: train, queue: q, kind: jobset}"
    text = f"slices: {{{slices}}}\nkubernetes: {{queues: {{q: {{}}}}, workloads: {{run: {run}}}}}"
    assert sorted(told(text, catalog, mode)) == sorted(expected)


@pytest.mark.parametrize(
    ("kind", "reported"), [("job", False), ("jobset", False), ("deployment", True), ("leaderworkerset", True)]
)
def test_pods_that_exist_before_the_choice_are_reported_on_autopilot(
    kind: str, reported: bool, catalog: Catalog
) -> None:
    host = "tpu: v6e, topology: 2x2"
    slices = f"a: {{{host}, capacity: {{reservation: ours}}}}, b: {{{host}, capacity: spot}}"
    run = f"{{slices: a, fallback: [b], image: train, queue: q, kind: {kind}}}"
    text = f"slices: {{{slices}}}\nkubernetes: {{queues: {{q: {{}}}}, workloads: {{run: {run}}}}}"
    assert told(text, catalog, "autopilot") == ([f"TPU338 {RUN}.fallback"] if reported else [])


def test_auto_provisioned_nodes_are_not_those_of_a_group(catalog: Catalog) -> None:
    provisioning = "autoprovisioning: {cpu: 10000, memory_gib: 50000, tpu: {v6e: 64}}\n"
    assert "TPU335 slices.spot" in told(of_order("ours spot", more=provisioning), catalog)
    labeled = of_order("ours spot", more=provisioning).replace(
        "capacity: spot", "capacity: spot, node_labels: {pool: spot}"
    )
    assert not [item for item in told(labeled, catalog) if "TPU335" in item]


@pytest.mark.parametrize(
    ("volume", "zone", "reported"),
    [
        ("disk: {type: hyperdisk-ml, size_gib: 10, access: read_only_many}", "us-east5-b", False),
        ("disk: {type: hyperdisk-ml, size_gib: 10, access: read_only_many}", "us-east5-a", True),
        ("empty_dir: true", "us-east5-a", False),
        ("claim: mine", "us-east5-a", False),
    ],
)
def test_a_new_disk_is_in_the_zone_of_each_group(volume: str, zone: str, reported: bool, catalog: Catalog) -> None:
    text = of_order("ours spot", f"queue: q, volumes: {{data: {{mount: /data, {volume}}}}}")
    head, tail = text.rsplit(f"capacity: spot, {_ZONE}", 1)
    found = told(f"{head}capacity: spot, zone: {zone}{tail}", catalog)
    assert (f"TPU337 {RUN}.volumes.data.disk" in found) is reported


def test_queued_rules_hold_for_each_group(catalog: Catalog) -> None:
    assert told(of_order("ours queued", "queue: q, kind: jobset"), catalog) == []
    assert any("TPU718" in item for item in told(of_order("ours queued", "kind: jobset"), catalog))
    late = GROUPS["queued"].replace("3d", "8d")
    text = of_order("ours queued", "queue: q, kind: jobset").replace(GROUPS["queued"], late)
    assert any("TPU311" in item for item in of_every_rule(text, catalog))


def of_every_rule(text: str, catalog: Catalog) -> list[str]:
    body = {"mode": "standard", "location": "us-east5", **yaml.safe_load(text)}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}})
    return [item.rule for item in check_plan(document, catalog).findings]
