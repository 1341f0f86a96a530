"""How resources are paired and compared, where neither shipped plans nor observations have a case for it."""

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.editing import BASES, graph_before
from support.work import function_calls

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.facts import Source
from pulumi_gke_tpu.core.catalog.records.provider import Provider
from pulumi_gke_tpu.core.graph.model import Resource
from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.core.graph.semantics import Semantics
from pulumi_gke_tpu.core.text.formats.property_path import contains, format_steps, parse_path
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.features.diff.model import Difference, ResourceChange
from pulumi_gke_tpu.preview import Graph, Options, Unknown

CLUSTER = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
NETWORK = "gcp:compute/network:Network"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
GROUP = "gke-tpu:index:TpuSlices"
PROVIDER = read_catalog().provider


def urn(token: str, name: str, parents: str = "", stack: str = "prod") -> str:
    return f"urn:pulumi:{stack}::gke-tpu::{f'{parents}$' if parents else ''}{token}::{name}"


def resource(token: str, name: str, *, parent: str = "", stack: str = "prod", **details: Any) -> Resource:
    parents = parent.split("::")[2] if parent else ""
    settings = {"custom": not token.startswith("gke-tpu:"), "inputs": {}, **details}
    return Resource(urn=urn(token, name, parents, stack), type=token, name=name, parent=parent, **settings)


def graph(*resources: Resource) -> Graph:
    return Graph(tuple(sorted(resources, key=lambda item: item.urn)))


def compared(base: Resource | Graph, head: Resource | Graph, provider: Provider = PROVIDER) -> list[ResourceChange]:
    graphs = [item if isinstance(item, Graph) else graph(item) for item in (base, head)]
    return list(compare(graphs[0], graphs[1], provider))


def operations(found: list[ResourceChange]) -> dict[str, str]:
    return {change.name: change.operation for change in found}


def pool(name: str = "pool", *, options: Options | None = None, **inputs: Any) -> Resource:
    given = {"name": name, "cluster": "base", **inputs.pop("also", {}), **inputs}
    return resource(POOL, name, inputs=given, options=options or Options())


def differences(
    base: dict[str, Any], head: dict[str, Any], token: str = POOL, **options: Any
) -> tuple[Difference, ...]:
    before, after = (resource(token, "it", inputs=inputs, options=Options(**options)) for inputs in (base, head))
    found = compared(before, after)
    return found[0].differences if found else ()


# Pairs


@pytest.mark.parametrize("base", BASES)
def test_a_graph_is_equal_to_itself(base: str) -> None:
    assert compared(graph_before(base), graph_before(base)) == []


@pytest.mark.parametrize("base", BASES)
def test_the_order_of_resources_means_nothing(base: str) -> None:
    before = graph_before(base)
    assert compared(before, Graph(before.resources[::-1])) == []


def test_stack_and_project_are_not_looked_at() -> None:
    def plan(stack: str) -> Graph:
        network = resource(NETWORK, "net", stack=stack, inputs={"name": "net"})
        return graph(network, resource(SUBNETWORK, "sub", stack=stack, inputs={"network": Unknown((network.urn,))}))

    assert compared(plan("prod"), plan("preview")) == []


def test_components_are_not_told_of() -> None:
    assert compared(graph(), graph(resource(GROUP, "group"))) == []
    assert compared(graph(resource(GROUP, "group", inputs={"topology": "4x4"})), graph(resource(GROUP, "group"))) == []


@pytest.mark.parametrize("alias", [urn(POOL, "old", stack="other"), "name=old", f"name=old, type={POOL}"])
def test_an_alias_keeps_a_resource(alias: str) -> None:
    moved = dataclasses.replace(pool("new", options=Options(aliases=(alias,))), inputs=pool("old").inputs)
    assert compared(pool("old"), moved) == []


def test_a_resource_keeps_its_urn_although_an_alias_would_fit() -> None:
    head = pool("pool", options=Options(aliases=("name=old",)))
    assert operations(compared(graph(pool("pool"), pool("old")), head)) == {"old": "delete"}


def test_what_is_inside_inherits_the_aliases_around_it() -> None:
    old_parent = resource(GROUP, "east/old")
    new_parent = resource(GROUP, "east/new", options=Options(aliases=("name=east/old",)))
    inputs = {"name": "pool", "cluster": "base"}
    before = resource(POOL, "east/old/pool", parent=old_parent.urn, inputs=inputs)
    after = resource(POOL, "east/new/pool", parent=new_parent.urn, inputs=inputs)
    assert compared(graph(old_parent, before), graph(new_parent, after)) == []


def test_what_is_inside_moves_with_a_parent_of_another_type() -> None:
    old_parent = resource("gke-tpu:index:Old", "east")
    new_parent = resource(GROUP, "east", options=Options(aliases=("type=gke-tpu:index:Old",)))
    before, after = (resource(POOL, "pool", parent=parent.urn, inputs={}) for parent in (old_parent, new_parent))
    assert compared(graph(old_parent, before), graph(new_parent, after)) == []


def test_a_moved_resource_tells_both_urns() -> None:
    moved = dataclasses.replace(pool("new", options=Options(aliases=("name=old",))), inputs=pool("new").inputs)
    (change,) = compared(pool("old"), moved)
    assert (change.operation, change.urn, change.former_urn) == ("replace", urn(POOL, "new"), urn(POOL, "old"))


# Values


@pytest.mark.parametrize(
    ("token", "was", "will"),
    [
        (POOL, {"nodeConfig": {"spot": False}}, {"nodeConfig": {}}),
        (POOL, {"nodeLocations": ["a", "b"]}, {"nodeLocations": ["b", "a"]}),
        (POOL, {"nodeConfig": {"labels": {}}}, {}),
        (POOL, {"management": {"autoRepair": True}}, {"management": {"autoRepair": True, "autoUpgrade": True}}),
        (CLUSTER, {"network": "default"}, {"network": "projects/p/global/networks/default"}),
        (CLUSTER, {}, {"releaseChannel": {"channel": "REGULAR"}}),
        (CLUSTER, {"resourceLabels": {"goog-gke-x": "1", "a": "b"}}, {"resourceLabels": {"a": "b"}}),
    ],
)
def test_equal_to_the_provider(token: str, was: dict[str, Any], will: dict[str, Any]) -> None:
    assert differences(was, will, token) == ()


def test_paths_are_those_of_the_engine() -> None:
    before = {"nodeConfig": {"labels": {"a.b/c": "1", "team": "x"}, "taints": [{"key": "a", "value": "1"}]}}
    after = {"nodeConfig": {"labels": {"a.b/c": "2"}, "taints": [{"key": "a", "value": "2"}]}}
    assert [(item.path, item.was, item.will) for item in differences(before, after)] == [
        ("nodeConfig.labels.team", "x", ABSENT),
        ('nodeConfig.labels["a.b/c"]', "1", "2"),
        ("nodeConfig.taints[0].value", "1", "2"),
    ]


def authorized(*names: str) -> dict[str, Any]:
    return {"masterAuthorizedNetworksConfig": {"cidrBlocks": [{"displayName": name} for name in names]}}


@pytest.mark.parametrize(
    ("before", "after", "paths"),
    [
        ("ab", "ba", []),
        ("ab", "b", ["[0]"]),
        ("ab", "bc", ["[0]", "[1]"]),
        ("ab", "ac", ["[1].displayName"]),
        ("b", "ab", ["[0]"]),
    ],
)
def test_items_of_a_set_differ_at_their_own_positions(before: str, after: str, paths: list[str]) -> None:
    found = differences(authorized(*before), authorized(*after), CLUSTER)
    assert [item.path for item in found] == [f"masterAuthorizedNetworksConfig.cidrBlocks{path}" for path in paths]


@pytest.mark.parametrize(
    ("before", "after", "path"), [("ab", "ac", ""), ("a", "ab", ""), ("ab", "a", "[1]"), ("ab", "ba", None)]
)
def test_new_items_with_blocks_make_the_whole_set_different(before: str, after: str, path: str | None) -> None:
    def exclusions(names: str) -> dict[str, Any]:
        items = [{"exclusionName": name, "exclusionOptions": {"scope": "NO_UPGRADES"}} for name in names]
        return {"maintenancePolicy": {"maintenanceExclusions": items}}

    found = [item.path for item in differences(exclusions(before), exclusions(after), CLUSTER)]
    assert found == ([] if path is None else [f"maintenancePolicy.maintenanceExclusions{path}"])


INTERFACES = [{"network": "data", "subnetwork": "data"}]
ADDITIONAL = "networkConfig.additionalNodeNetworkConfigs"


@pytest.mark.parametrize(
    ("before", "after", "planned", "kept"),
    [
        # in a block that stays
        ({"enablePrivateNodes": True}, {"enablePrivateNodes": True}, [ADDITIONAL], []),
        # with its block
        ({}, None, [ADDITIONAL], []),
        ({"enablePrivateNodes": True}, None, [ADDITIONAL], ["networkConfig"]),
        # beside a network profile
        ({"acceleratorNetworkProfile": "auto"}, {"acceleratorNetworkProfile": "auto"}, [], [ADDITIONAL]),
        ({"acceleratorNetworkProfile": "auto"}, None, [], ["networkConfig"]),
        (
            {"acceleratorNetworkProfile": "auto"},
            {"enablePrivateNodes": True},
            ["networkConfig.acceleratorNetworkProfile", ADDITIONAL, "networkConfig.enablePrivateNodes"],
            [],
        ),
        (
            {},
            {"acceleratorNetworkProfile": "auto"},
            ["networkConfig.acceleratorNetworkProfile", ADDITIONAL],
            [],
        ),
    ],
)
def test_interfaces_that_are_left_out_are_removed_unless_a_profile_stays(
    before: dict[str, Any], after: dict[str, Any] | None, planned: list[str], kept: list[str]
) -> None:
    was = {"networkConfig": {**before, "additionalNodeNetworkConfigs": INTERFACES}}
    found = differences(was, {} if after is None else {"networkConfig": after})
    assert [item.path for item in found if item.planned] == planned
    assert [item.path for item in found if not item.planned] == kept
    assert {item.effect for item in found if item.path == ADDITIONAL} <= {"no-op" if ADDITIONAL in kept else "replace"}


@pytest.mark.parametrize("block", ["upgradeSettings.maxSurge", "nodeConfig.bootDisk", "networkConfig.podRange"])
def test_other_computed_properties_in_a_block_that_stays_are_kept(block: str) -> None:
    outer, name = block.split(".")
    value = {"sizeGb": 200} if name == "bootDisk" else 7
    stays = {"strategy": "SURGE"} if outer == "upgradeSettings" else {"acceleratorNetworkProfile": "auto"}
    stays = {"spot": True} if outer == "nodeConfig" else stays
    (found,) = differences({outer: {name: value, **stays}}, {outer: stays})
    assert (found.path, found.planned, found.effect) == (block, False, "no-op")


@pytest.mark.parametrize("path", ["nodeConfig.labels.team", "nodeConfig.labels", "nodeConfig", "nodeConfig.*", "*"])
def test_ignored_changes(path: str) -> None:
    before, after = ({"nodeConfig": {"labels": {"team": team}}} for team in ("a", "b"))
    assert differences(before, after, ignore_changes=(path,)) == ()


def test_what_gke_does_not_store_differs_for_ever() -> None:
    bound = {"placementPolicy": {"type": "COMPACT", "policyName": "wp"}}
    (found,) = differences(bound, bound)
    assert (found.path, found.effect) == ("placementPolicy.type", "no-op")


@pytest.mark.parametrize(
    ("was", "will", "effect"),
    [("1.34", "1.35", "in-place"), ("1.35", "1.34", "no-op"), ("1.9", "1.10", "in-place"), ("1.34", None, "no-op")],
)
def test_versions_only_rise(was: str, will: str | None, effect: str) -> None:
    (found,) = differences({"minMasterVersion": was}, {"minMasterVersion": will} if will else {}, CLUSTER)
    assert found.effect == effect


@pytest.mark.parametrize(
    ("was", "will", "effects"),
    [
        (["a"], ["a", "b"], {"in-place"}),
        (["b"], ["a", "b"], {"in-place"}),
        (["a", "b"], ["b"], {"restart"}),
        (["a"], ["b"], {"restart"}),
        (["a", "b"], ["b", "c"], {"restart"}),
    ],
)
def test_only_a_zone_that_is_removed_costs_nodes(was: list[str], will: list[str], effects: set[str]) -> None:
    found = differences({"nodeLocations": was}, {"nodeLocations": will})
    assert effects <= {item.effect for item in found} <= effects | {"in-place"}


@pytest.mark.parametrize(("was", "will", "effect"), [(2, 4, "in-place"), (4, 2, "restart")])
def test_fewer_nodes_are_drained(was: int, will: int, effect: str) -> None:
    (found,) = differences({"nodeCount": was}, {"nodeCount": will})
    assert found.effect == effect


@pytest.mark.parametrize(
    ("block", "planned"),
    [
        ({"secretManagerConfig": {"enabled": True}}, {"secretManagerConfig"}),
        ({"secretManagerConfig": {"enabled": False}}, set()),
        ({"binaryAuthorization": {"evaluationMode": "PROJECT_SINGLETON_POLICY_ENFORCE"}}, {"binaryAuthorization"}),
        ({"networkPolicy": {"enabled": False, "provider": ""}}, set()),
    ],
)
def test_leaving_out_a_block_that_is_always_reported_is_an_update_only_if_it_was_on(
    block: dict[str, Any], planned: set[str]
) -> None:
    found = differences({"name": "c", **block}, {"name": "c"}, CLUSTER)
    assert {item.path for item in found if item.planned} == planned


@pytest.mark.parametrize(
    ("machine", "disk", "restarts"),
    [
        ("ct6e-standard-4t", "hyperdisk-balanced", False),
        ("tpu7x-standard-4t", "hyperdisk-balanced", False),
        ("ct5p-hightpu-4t", "pd-balanced", False),
        ("ct5p-hightpu-4t", "pd-ssd", True),
        ("ct4p-hightpu-4t", "pd-standard", False),
        ("ct4p-hightpu-4t", "pd-balanced", True),
        ("n2-standard-4", "pd-balanced", False),
        ("n2-standard-4", "hyperdisk-balanced", True),
    ],
)
def test_a_boot_disk_that_gke_uses_anyway_is_the_same(machine: str, disk: str, restarts: bool) -> None:
    """GKE decides the disk of TPU machines by their family: v6e cannot boot from pd-balanced."""
    unset, named = (
        pool(nodeConfig={"machineType": machine}),
        pool(nodeConfig={"machineType": machine, "bootDisk": {"diskType": disk}}),
    )
    disks = read_catalog().disks.families
    added = compare(graph(unset), graph(named), PROVIDER, disks=disks)
    assert [change.effect for change in added] == (["restart"] if restarts else [])
    removed = compare(graph(named), graph(unset), PROVIDER, disks=disks)
    assert [change.effect for change in removed] == (["no-op"] if restarts else [])


@pytest.mark.parametrize("token", [CLUSTER, POOL])
def test_gke_reports_only_properties_that_have_a_value(token: str) -> None:
    reported = Semantics(PROVIDER, token).untouched({})
    assert reported
    assert None not in reported.values()


def test_what_gke_sets_in_an_autopilot_cluster_differs_from_the_next_mode_only_where_it_is_another_value() -> None:
    project = {"name": "c", "project": "p"}
    standard = {
        **project,
        "clusterAutoscaling": {"enabled": False, "autoscalingProfile": "OPTIMIZE_UTILIZATION"},
        "datapathProvider": "ADVANCED_DATAPATH",
        "workloadIdentityConfig": {"workloadPool": "p.svc.id.goog"},
    }
    found = differences({**project, "enableAutopilot": True}, standard, CLUSTER)
    assert {item.path for item in found} == {"clusterAutoscaling.enabled", "enableAutopilot"}


def test_a_slice_of_several_hosts_is_not_resized() -> None:
    bound = {"placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"}}
    (change,) = compared(pool(nodeCount=4, **bound), pool(nodeCount=8, **bound))
    assert (change.operation, change.effect, change.refused_by) == ("update", "refused", "GKE")


def test_something_that_does_nothing_beside_something_that_does() -> None:
    (change,) = compared(pool(nodeConfig={"labels": {"a": "1"}, "tags": ["x"]}), pool(nodeConfig={"tags": ["y"]}))
    assert (change.operation, change.effect) == ("update", "in-place")
    assert {item.path: item.planned for item in change.differences} == {
        "nodeConfig.labels": False,
        "nodeConfig.tags[0]": True,
    }


# Values known later


def test_the_same_output_of_something_that_stays() -> None:
    network = resource(NETWORK, "net", inputs={"mtu": 1460})
    sub = resource(SUBNETWORK, "sub", inputs={"network": Unknown((network.urn,))})
    larger = dataclasses.replace(network, inputs={"mtu": 8896})
    assert operations(compared(graph(network, sub), graph(larger, sub))) == {"net": "update"}


@pytest.mark.parametrize("was", ["default", Unknown((urn(NETWORK, "other"),))])
def test_the_output_of_something_new(was: Any) -> None:
    network = resource(NETWORK, "net")
    before = resource(SUBNETWORK, "sub", inputs={"name": "sub", "network": was})
    after = resource(SUBNETWORK, "sub", inputs={"name": "sub", "network": Unknown((network.urn,))})
    found = compared(graph(before), graph(network, after))
    assert operations(found) == {"net": "create", "sub": "replace"}
    assert {change.because_of for change in found} == {()}


def test_what_is_deleted_first_takes_along_what_refers_to_it_by_a_known_value() -> None:
    def plan(topology: str) -> Graph:
        policy = resource(POLICY, "wp", inputs={"name": "wp", "workloadPolicy": {"acceleratorTopology": topology}})
        bound = {"name": "pool", "placementPolicy": {"type": "", "policyName": "wp"}}
        return graph(policy, resource(POOL, "pool", inputs=bound, sources={"placementPolicy": (policy.urn,)}))

    found = {change.name: change for change in compared(plan("2x2x2"), plan("2x2x4"))}
    assert {name: (change.operation, change.delete_first) for name, change in found.items()} == dict.fromkeys(
        ("wp", "pool"), ("replace", True)
    )
    assert found["pool"].because_of == (urn(POLICY, "wp"),)


def test_resources_that_refer_to_each_other_are_compared_once_each() -> None:
    """No program registers such a resource, but a stored graph can contain it."""
    first, second = urn(SUBNETWORK, "a"), urn(SUBNETWORK, "b")
    circle = graph(
        resource(SUBNETWORK, "a", inputs={"network": Unknown((second,))}),
        resource(SUBNETWORK, "b", inputs={"network": Unknown((first,))}),
    )
    assert compared(circle, circle) == []


# Options, protection, names


@pytest.mark.parametrize(
    ("state", "goal", "refused"), [(True, True, "engine"), (True, None, ""), (None, True, ""), (None, None, "")]
)
def test_a_replacement_is_refused_where_state_and_program_protect(
    state: bool | None, goal: bool | None, refused: str
) -> None:
    before = pool(maxPodsPerNode=32, options=Options(protect=state))
    (change,) = compared(before, pool(maxPodsPerNode=64, options=Options(protect=goal)))
    assert (change.operation, change.effect, change.refused_by) == ("replace", "replace", refused)


def test_a_deletion_is_refused_where_the_state_protects() -> None:
    (change,) = compared(pool(options=Options(protect=True)), graph())
    assert (change.operation, change.effect, change.refused_by) == ("delete", "delete", "engine")


def test_a_protected_dependent_resource_makes_the_deletion_fail() -> None:
    def plan(location: str, protect: bool | None) -> Graph:
        cluster = resource(CLUSTER, "cl", inputs={"name": "cl", "location": location, "deletionProtection": False})
        bound = {"name": "pool", "cluster": Unknown((cluster.urn,))}
        return graph(cluster, resource(POOL, "pool", inputs=bound, options=Options(protect=protect)))

    found = {change.name: change.refused_by for change in compared(plan("a", True), plan("b", None))}
    assert found == {"cl": "", "pool": "engine"}


@pytest.mark.parametrize(("written", "refused"), [(True, "provider"), (None, "provider"), (False, "")])
def test_a_cluster_is_protected_from_deletion_unless_it_says_otherwise(written: bool | None, refused: str) -> None:
    inputs = {"name": "cl"} if written is None else {"name": "cl", "deletionProtection": written}
    (change,) = compared(resource(CLUSTER, "cl", inputs=inputs), graph())
    assert change.refused_by == refused


def test_options_that_somebody_wrote() -> None:
    before = pool(options=Options(custom_timeouts=(("create", "2h"),)))
    (change,) = compared(before, pool(options=Options(custom_timeouts=(("create", "4h"),), protect=True)))
    assert (change.operation, change.effect) == ("same", "metadata")
    assert [(item.path, item.was, item.will) for item in change.differences] == [
        ("customTimeouts.create", "2h", "4h"),
        ("protect", ABSENT, True),
    ]


def test_a_difference_of_an_option_sends_nothing_to_the_provider() -> None:
    timeouts = Options(custom_timeouts=(("create", "2h"),))
    (change,) = compared(pool(options=timeouts, maxPodsPerNode=32), pool(maxPodsPerNode=64))
    assert {item.path: item.planned for item in change.differences} == {
        "customTimeouts.create": False,
        "maxPodsPerNode": True,
    }


def test_the_order_of_a_replacement_is_not_a_difference() -> None:
    assert compared(pool(), pool(options=Options(replace_on_changes=("a",), delete_before_replace=True))) == []


def test_a_name_that_is_taken_until_the_end() -> None:
    found = compared(pool("old", also={"name": "x"}), pool("new", also={"name": "x"}))
    assert {change.name: change.refused_by for change in found} == {"old": "", "new": "GKE"}


def test_a_name_is_not_taken_in_another_place() -> None:
    found = compared(pool("old", also={"name": "x"}), pool("new", also={"name": "x"}, cluster="other"))
    assert {change.refused for change in found} == {""}


# Facts


def test_a_fact_gives_its_reason_and_its_sources_by_their_titles() -> None:
    before, after = (graph(pool(nodeConfig={"imageType": image})) for image in ("A", "B"))
    (change,) = compare(before, after, PROVIDER, sources={"gke-node-upgrade-strategies": Source(title="Upgrades")})
    (found,) = change.differences
    assert found.effect == "restart"
    assert found.fact.source == "Upgrades"
    assert found.fact.confidence == "high"


def test_a_property_outside_the_catalog_has_low_confidence() -> None:
    (known_type,) = differences({"notYetKnown": 1}, {"notYetKnown": 2})
    (other_type,) = differences({"spec": 1}, {"spec": 2}, "kubernetes:core/v1:Namespace")
    assert {item.fact.confidence for item in (known_type, other_type)} == {"low"}
    assert {item.effect for item in (known_type, other_type)} == {"in-place"}


# Paths


@pytest.mark.parametrize("text", ["a", "a.b", "a[0].b", 'a["x/y"].b', 'a["x.y"]'])
def test_paths_are_read_as_they_are_written(text: str) -> None:
    assert format_steps(parse_path(text)) == text


@pytest.mark.parametrize(
    ("around", "path", "expected"),
    [
        ("a", "a.b", True),
        ("a.b", "a", False),
        ("*", "a[0]", True),
        ("a.*", "a.b.c", True),
        ("a[*].b", "a[3].b", True),
        ("ab", "a.b", False),
        ("a_b", "aB", False),
    ],
)
def test_paths_of_options(around: str, path: str, expected: bool) -> None:
    assert contains(parse_path(around), parse_path(path)) == expected


# Every kind of difference

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.builds(Unknown, st.just(("urn",)))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
NAMES = [*sorted({path.split(".")[0] for path in PROVIDER.resources[POOL].properties}), "any"]
INPUTS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6)


@given(was=INPUTS, will=INPUTS)
def test_any_inputs_are_compared(was: dict[str, Any], will: dict[str, Any]) -> None:
    found = compared(resource(POOL, "it", inputs=was), resource(POOL, "it", inputs=will))
    if was == will:
        assert not found or [item.path for item in found[0].differences] == ["placementPolicy.type"]


def test_work_grows_with_the_number_of_resources() -> None:
    def calls(count: int) -> int:
        def plan(location: str) -> Graph:
            cluster = resource(CLUSTER, "cl", inputs={"name": "cl", "location": location})
            cluster_id = Unknown((cluster.urn,))
            pools = [pool(f"p{number}", cluster=cluster_id, maxPodsPerNode=32) for number in range(count)]
            return graph(cluster, *pools)

        before, after = plan("a"), plan("b")
        return function_calls(lambda: compared(before, after))

    assert calls(400) < 2.5 * calls(200)
