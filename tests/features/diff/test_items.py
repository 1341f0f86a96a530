"""The changes of the items of a plan: the items, their classes, and the changed keys."""

import pytest
from support.plan_edits import catalog, items, only_item, pairs_of, preview, report
from support.work import function_calls

from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.features.diff.comparison.change_report import PlanPair, change_findings, diff_pairs
from pulumi_gke_tpu.features.diff.engine.model import Report
from pulumi_gke_tpu.features.diff.model import CLASSES, ItemChange
from pulumi_gke_tpu.features.diff.output.labels import label

MULTI = "tpu: v6e\ntopology: 4x4\n"
SINGLE = "tpu: v6e\ntopology: 2x2\n"
RESERVED = f"{MULTI}capacity: {{reservation: pool}}\n"


def two(
    main: str = "{tpu: v6e, topology: 4x4, count: 2}", serve: str = "{tpu: v6e, topology: 2x2}", rest: str = ""
) -> str:
    """A cluster with two groups."""
    groups = f"  main: {main[:-1]}, zone: us-east5-b}}\n  serve: {serve[:-1]}, zone: us-east5-b}}\n"
    return f"mode: standard\nlocation: us-east5\n{rest}slices:\n{groups}"


def written(item: ItemChange) -> list[tuple[str, str, str]]:
    return [(change.key, change.was, change.will) for change in item.written]


GROUP_EDITS = [
    # before, after, class, changed keys
    (MULTI, "tpu: v6e\ntopology: 4x8\n", "replace", [("topology", "4x4", "4x8")]),
    (MULTI, "tpu: v6e\nchips: 32\n", "replace", [("topology", "4x4", "4x8")]),
    (MULTI, f"{MULTI}zone: us-east5-a\n", "replace", [("zone", "us-east5-b", "us-east5-a")]),
    (MULTI, f"{MULTI}capacity: spot\n", "replace", [("capacity", "on_demand", "spot")]),
    (MULTI, RESERVED, "replace", [("capacity", "on_demand", "{reservation: pool}")]),
    (RESERVED, RESERVED.replace("pool", "sea"), "replace", [("capacity.reservation", "pool", "sea")]),
    (
        RESERVED,
        RESERVED.replace("pool", "{name: pool, project: infra}"),
        "replace",
        [("capacity.reservation.project", "", "infra")],
    ),
    (
        f"{MULTI}capacity: flex_start\n",
        f"{MULTI}capacity: {{flex_start: {{max_run_duration: 3d}}}}\n",
        "replace",
        [("capacity.flex_start.max_run_duration", "", "3d")],
    ),
    (f"{MULTI}count: 2\n", f"{MULTI}count: 3\n", "create", [("count", "2", "3")]),
    (f"{MULTI}count: 2\n", f"{MULTI}count: 1\n", "delete", [("count", "2", "1")]),
    (f"{MULTI}count: 2\n", f"{MULTI}indices: [1]\n", "delete", [("count", "2", ""), ("indices", "", "[1]")]),
    (MULTI, f"{MULTI}count: {{min: 0, max: 1}}\n", "in-place", [("count", "1", "{min: 0, max: 1}")]),
    (f"{MULTI}count: {{max: 1}}\n", MULTI, "replace", [("count", "{min: 0, max: 1}", "1")]),
    (f"{SINGLE}count: {{max: 4}}\n", f"{SINGLE}count: {{max: 6}}\n", "in-place", [("count.max", "4", "6")]),
    (SINGLE, f"{SINGLE}count: 2\n", "in-place", [("count", "1", "2")]),
    (f"{SINGLE}count: 2\n", SINGLE, "restart", [("count", "2", "1")]),
    (SINGLE, f"{SINGLE}node_labels: {{team: a}}\n", "in-place", [("node_labels.team", "", "a")]),
    (f"{SINGLE}node_labels: {{team: a}}\n", SINGLE, "no-op", [("node_labels.team", "a", "")]),
    (SINGLE, f'{SINGLE}node_labels: {{"x/y": a}}\n', "in-place", [('node_labels["x/y"]', "", "a")]),
    (SINGLE, f"{SINGLE}resource_labels: {{team: a}}\n", "metadata", [("resource_labels.team", "", "a")]),
    (
        f"{SINGLE}taints: [{{key: a, value: b, effect: NoSchedule}}]\n",
        f"{SINGLE}taints: [{{key: a, value: c, effect: NO_SCHEDULE}}]\n",
        "in-place",
        [('taints["a:NoSchedule"]', "b", "c")],
    ),
    (
        f"{MULTI}boot_disk: {{size_gib: 100}}\n",
        f"{MULTI}boot_disk: {{size_gib: 200}}\n",
        "restart",
        [("boot_disk.size_gib", "100", "200")],
    ),
    (f"{MULTI}boot_disk: {{size_gib: 200}}\n", MULTI, "no-op", [("boot_disk.size_gib", "200", "")]),
    (MULTI, f"{MULTI}max_pods_per_node: 64\n", "replace", [("max_pods_per_node", "", "64")]),
    (
        SINGLE,
        f"{SINGLE}taints: [{{key: a, effect: NO_SCHEDULE}}]\n",
        "in-place",
        [('taints["a:NoSchedule"]', "", '""')],
    ),
    (SINGLE, f"{SINGLE}upgrade: blue_green\n", "in-place", [("upgrade.strategy", "", "blue_green")]),
    (SINGLE, f"{SINGLE}timeouts: {{create: 90m}}\n", "metadata", [("timeouts.create", "", "90m")]),
    (SINGLE, f"{SINGLE}protect: true\n", "metadata", [("protect", "", "true")]),
    (SINGLE, f"{SINGLE}maintenance: {{end_of_support: true}}\n", "no-op", [("maintenance.end_of_support", "", "true")]),
    (SINGLE, f"{SINGLE}extra: {{node_config: {{tags: [a]}}}}\n", "in-place", [("extra.node_config.tags", "", "[a]")]),
]


@pytest.mark.parametrize(("before", "after", "change", "keys"), GROUP_EDITS)
def test_edits_of_a_group(before: str, after: str, change: str, keys: list[tuple[str, str, str]]) -> None:
    item = only_item(before, after)
    assert (item.item, item.former_item, item.kind) == ("train/pretrain", "train/pretrain", "slices")
    assert item.path == "clusters.train.slices.pretrain"
    assert (item.change, written(item)) == (change, keys)
    assert item.consequence


CLUSTER = "mode: standard\nlocation: us-east5\n"
MAINTAINED = f"{CLUSTER}maintenance: {{window: {{start: 2026-01-03T02:00:00Z, duration: 6h}}}}\n"
CLUSTER_EDITS = [
    (CLUSTER, f"{CLUSTER}release_channel: rapid\n", "in-place", [("release_channel", "regular", "rapid")]),
    (CLUSTER, f'{CLUSTER}min_version: "1.34"\n', "in-place", [("min_version", "", "1.34")]),
    (f'{CLUSTER}min_version: "1.35"\n', f'{CLUSTER}min_version: "1.34"\n', "no-op", [("min_version", "1.35", "1.34")]),
    (CLUSTER, f"{CLUSTER}deletion_protection: false\n", "metadata", [("deletion_protection", "true", "false")]),
    (CLUSTER, CLUSTER.replace("east5", "east1"), "replace", [("location", "us-east5", "us-east1")]),
    (CLUSTER, f"{CLUSTER}name: other\n", "replace", [("name", "train", "other")]),
    (CLUSTER, f"{CLUSTER}addons: [gcs_fuse]\n", "in-place", [("addons", "", "gcs_fuse")]),
    (
        f"{CLUSTER}system_pool: {{}}\n",
        f"{CLUSTER}system_pool: {{max_nodes: 5}}\n",
        "in-place",
        [("system_pool.max_nodes", "3", "5")],
    ),
    (MAINTAINED, MAINTAINED.replace("6h", "8h"), "in-place", [("maintenance.window.duration", "6h", "8h")]),
    (CLUSTER, f"{CLUSTER}control_plane: {{private: true}}\n", "in-place", [("control_plane.private", "false", "true")]),
]


@pytest.mark.parametrize(("before", "after", "change", "keys"), CLUSTER_EDITS)
def test_edits_of_a_cluster(before: str, after: str, change: str, keys: list[tuple[str, str, str]]) -> None:
    item = only_item(before, after)
    assert (item.item, item.kind, item.path) == ("train", "cluster", "clusters.train")
    assert (item.change, written(item)) == (change, keys)
    assert item.consequence


SAME = [
    ("count: 2", "indices: [0, 1]"),
    ("count: {min: 0, max: 1}", "min: 0\nmax: 1"),
    ("topology: 4x4", "chips: 16"),
    ("capacity: spot", "capacity: {spot: true}"),
    ("capacity: flex_start", "capacity: {flex_start: {}}"),
    ("capacity: {reservation: pool}", "capacity: {reservation: {name: pool}}"),
    ("upgrade: surge", "upgrade: {strategy: surge}"),
    ("node_labels: {a: x, b: y}", "node_labels:\n  b: y  # a comment\n  a: x"),
    ("taints: [{key: a, effect: NoSchedule}]", "taints: [{effect: NO_SCHEDULE, key: a}]"),
    ("timeouts: {create: 60m}", "timeouts: {create: 1h}"),
    ("node_labels: &labels {a: x}\nresource_labels: {a: x}", "node_labels: {a: x}\nresource_labels: {a: x}"),
    ("zone: us-east5-b", 'zone: "us-east5-b"'),
    ("", "capacity: on_demand"),
    ("", "count: 1"),
    ("", "node_labels: {}"),
    ("capacity: {reservation: pool}", "capacity: {reservation: pool}\nprotect: true"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_another_spelling_is_not_a_change(one: str, other: str) -> None:
    shape = "tpu: v6e\n" if "topology" in one else MULTI
    for before, after in ((one, other), (other, one)):
        found = report(f"{shape}{before}\n", f"{shape}{after}\n")
        assert found.items == ()
        assert found.unchanged_items == 2


def test_the_order_of_keys_and_items_is_not_a_change() -> None:
    after = two().replace("mode: standard\nlocation: us-east5\n", "location: us-east5\nmode: standard\n")
    head, main, serve = after.partition("  main:")[0], after.split("\n")[3], after.split("\n")[4]
    assert report(two(), f"{head}{serve}\n{main}\n").items == ()


def test_a_moved_item_is_renamed_and_keeps_its_hosts() -> None:
    before = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n"
    slices = "    slices: {main: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}}\n"
    after = f"{before}{slices}".replace("main", "pretrain").replace("train:", "east:", 1)
    moved = "moved: [{from: train, to: east}, {from: train/main, to: east/pretrain}]\n"
    items = report(f"{before}{slices}", f"{after}{moved}").items
    assert [(item.item, item.former_item, item.change, label(item)) for item in items] == [
        ("east", "train", "metadata", "RENAME"),
        ("east/pretrain", "train/main", "metadata", "RENAME"),
    ]
    assert [item.consequence for item in items] == [
        "`train` is now `east` in the plan; the cluster is kept with 8 TPU hosts, and its name in GKE stays `train` as "
        "long as the plan has the `moved` entry.",
        "`train/main` is now `east/pretrain` in the plan; 8 hosts are kept: `main-0` and `main-1` keep their names in "
        "GKE as long as the plan has the `moved` entry.",
    ]
    assert {(item.hosts_gone, item.hosts_new, item.resources) for item in items} == {(Range.ZERO, Range.ZERO, ())}
    items = report(f"{before}{slices}", f"{after}{moved}".replace("count: 2", "count: 1")).items
    changed = items[0]
    assert (changed.item, changed.former_item, changed.change) == ("east/pretrain", "train/main", "delete")
    assert "4 hosts are kept: `main-0` keeps its name in GKE" in changed.consequence
    assert (changed.hosts_gone, changed.hosts_new) == (Range(4, 4), Range(0, 0))


def test_items_are_sorted_by_danger() -> None:
    after = two(
        "{tpu: v6e, topology: 4x8, count: 2}",
        "{tpu: v6e, topology: 2x2, node_labels: {a: b}}",
        "release_channel: rapid\n",
    )
    found = report(two(), after)
    assert [(item.item, item.change) for item in found.items] == [
        ("train/main", "replace"),
        ("train", "in-place"),
        ("train/serve", "in-place"),
    ]
    assert (found.unchanged_items, Report(found).dangerous) == (0, True)
    assert sorted(map(CLASSES.index, (item.change for item in found.items))) == [
        CLASSES.index(item.change) for item in found.items
    ]


def test_what_follows_from_the_cluster_is_not_written_in_the_group() -> None:
    found = items(two(), two(rest="security: {tpu_secure_boot: true}\n"))
    assert {key: (item.change, item.written) for key, item in found.items()} == {
        "train/main": ("replace", ()),
        "train/serve": ("replace", ()),
    }
    assert (
        "The cause is the change of `security.tpu_secure_boot` in cluster `train`." in found["train/main"].consequence
    )


def test_deletion_protection_is_not_the_cause_of_other_changes() -> None:
    found = items(two(), two(rest="deletion_protection: false\nresource_labels: {team: research}\n"))
    assert "The cause is the change of `resource_labels.team` in cluster `train`." in found["train/main"].consequence


def test_new_and_removed_items() -> None:
    one = two().partition("  serve:")[0]
    (gone,) = report(two(), one).items
    assert (gone.item, gone.former_item, gone.change, gone.written) == ("train/serve", "train/serve", "delete", ())
    assert (gone.hosts_gone, gone.hosts_new) == (Range(1, 1), Range(0, 0))
    (new,) = report(one, two()).items
    assert (new.item, new.former_item, new.change, new.written) == ("train/serve", "", "create", ())
    assert (new.hosts_gone, new.hosts_new) == (Range(0, 0), Range(1, 1))


def test_a_new_or_removed_plan() -> None:
    created, deleted = report("", two()), report(two(), "")
    assert [item.change for item in created.items] == ["create"] * 3
    assert [item.change for item in deleted.items] == ["delete"] * 3
    assert created.notes[0] == "The plan `plan.yaml` is new."
    assert deleted.notes[0] == (
        "The plan `plan.yaml` was removed. Its stack keeps all resources until `pulumi destroy`."
    )
    assert (created.removed, deleted.removed) == ((), ("plan.yaml",))
    assert report("", "").items == ()
    kept = report(two(), two(serve="{tpu: v6e, topology: 2x2, node_labels: {a: b}}"))
    assert kept.notes == ("This report compares plans. It does not show changes that were made outside of Pulumi.",)


def test_a_removed_plan_without_a_stack_of_its_own_may_lose_its_resources_in_pulumi_up() -> None:
    """One program can load `research.yaml` and `serving.yaml` into one stack."""
    pair = PlanPair(preview(two(), "research.yaml"), None)
    deleted = diff_pairs([pair], catalog())
    assert "together with other plans, `pulumi up` deletes its resources" in deleted.notes[0]
    assert deleted.removed == ()


@pytest.mark.parametrize(
    ("name", "command"), [("stacks/a/plan.yaml", "pulumi destroy"), ("research.yaml", "pulumi up")]
)
def test_the_command_that_fails_at_protection_is_the_one_that_deletes(name: str, command: str) -> None:
    plan = two(serve="{tpu: v6e, topology: 2x2, protect: true}")
    stopped = [found.refused for found in diff_pairs([PlanPair(preview(plan, name), None)], catalog()).items]
    assert [text for text in stopped if text]
    assert all(text.startswith(f"`{command}` will fail: ") for text in stopped if text)


def test_a_cluster_that_moves_to_another_plan_is_named_with_the_way_to_keep_it() -> None:
    other = f"name: other\n{two()}"
    a, b = "stacks/a/plan.yaml", "stacks/b/plan.yaml"
    moved = diff_pairs([PlanPair(preview(two(), a), None), PlanPair(None, preview(two(), b))], catalog())
    assert moved.notes[0].startswith(f"Cluster `train` moves from `{a}` to `{b}`: GKE does not create it")
    assert "`pulumi state move`" in moved.notes[0]
    for pair in (PlanPair(preview(two(), a), preview(two(), b)), PlanPair(preview(two(), a), preview(two(), a))):
        assert "moves from" not in " ".join(diff_pairs([pair], catalog()).notes)
    both = PlanPair(preview(two(), a), preview(two(), a)), PlanPair(None, preview(two(), b))
    assert "moves from" not in " ".join(diff_pairs(both, catalog()).notes)
    different = diff_pairs([PlanPair(preview(two(), a), None), PlanPair(None, preview(other, b))], catalog())
    assert "moves from" not in " ".join(different.notes)


def test_everything_that_nothing_happens_to_is_counted() -> None:
    found = report(two(), two(serve="{tpu: v6e, topology: 2x2, node_labels: {a: b}}"))
    custom = sum(resource.custom for resource in preview(two()).graph.resources)
    assert (found.unchanged_items, found.unchanged_resources) == (2, custom - 1)


def test_each_resource_belongs_to_one_item() -> None:
    after = two("{tpu: v6e, topology: 4x8, count: 1}", rest="name: other\nnetwork: create\n")
    found = items(two(), after)
    names = {key: sorted(change.name for change in item.resources) for key, item in found.items()}
    assert names["train/main"] == ["train/main/main-0", "train/main/main-1"]
    assert names["train/serve"] == ["train/serve/serve"]
    assert all(name == "train" or name.startswith(("train/system", "train/roles/")) for name in names["train"])


def test_several_plans_are_one_report() -> None:
    base = [preview(MULTI, "a.yaml"), preview(SINGLE, "b.yaml")]
    head = [preview(f"{MULTI}count: 2\n", "a.yaml"), preview(f"{SINGLE}capacity: spot\n", "b.yaml")]
    found = diff_pairs(pairs_of(base, head), catalog(), base_name="main", head_name="branch")
    assert [(item.plan, item.item, item.change) for item in found.items] == [
        ("b.yaml", "train/pretrain", "replace"),
        ("a.yaml", "train/pretrain", "create"),
    ]
    assert (found.base, found.head, found.plans) == ("main", "branch", ("a.yaml", "b.yaml"))


def many(groups: int, topology: str) -> str:
    lines = "".join(f"  g{number}: {{tpu: v6e, topology: {topology}, zone: us-east5-b}}\n" for number in range(groups))
    return f"{CLUSTER}slices:\n{lines}"


def test_the_work_grows_with_the_plan_and_not_faster() -> None:
    def work(groups: int) -> int:
        pairs = pairs_of([preview(many(groups, "4x4"))], [preview(many(groups, "4x8"))])

        def compare() -> None:
            found = diff_pairs(pairs, catalog())
            assert len(found.items) == groups
            change_findings(pairs, found, catalog())

        compare()  # fills the caches
        return function_calls(compare)

    assert work(60) < 2.2 * work(30)


def test_the_effect_is_reported_for_every_old_plan() -> None:
    """A plan before the change may have errors: names that are taken, keys that no address can hold."""
    before = f'{CLUSTER}slices:\n  "a/b": {{tpu: v6e, topology: 4x4, zone: us-east5-b}}\n  c: {{tpu: v6e}}\n'
    found = items(before, many(1, "4x4"))
    assert {key: item.change for key, item in found.items()} == {"train/a/b": "delete", "train/g0": "create"}
    assert report(many(1, "4x4"), before).items
