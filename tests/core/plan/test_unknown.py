"""The reason given for an unknown key names the level that has the key."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.plan import parse_plan, read_inventory_content, read_organization_content, read_plan_content

GROUP = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
CLUSTER = {"mode": "standard", "location": "us-east5"}
WINDOW = {"start": "2026-12-01T00:00:00Z", "duration": "4h"}


def reasons(cluster: dict[str, Any], **more: Any) -> list[str]:
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": CLUSTER | cluster}, **more})
    return [finding.why for finding in document.findings if finding.rule == "TPU020"]


@pytest.mark.parametrize(
    ("cluster", "reason"),
    [
        ({"slices": {"a": GROUP | {"addons": ["ray"]}}}, "`addons` is a key of the cluster"),
        ({"slices": {"a": GROUP | {"upgrade": {"topology": "x"}}}}, "`topology` is a key of the slice group"),
        ({"maintenance": {"window": WINDOW | {"exclusions": {}}}}, "`exclusions` is a key of maintenance"),
        ({"network": {"create": {"existing": 3}}}, "`existing` is a key of network"),
        ({"network": {"create": {"moved": []}}}, "`moved` is a key of the top level of the plan"),
    ],
)
def test_the_nearest_level_that_has_the_key_is_named(cluster: dict[str, Any], reason: str) -> None:
    assert reasons(cluster) == [reason]


def test_the_top_is_named_for_a_key_in_an_entry_of_a_list_at_the_top() -> None:
    moved = [{"from": "old", "to": "train", "accept": 1}]
    assert reasons({}, moved=moved) == ["`accept` is a key of the top level of the plan"]


def test_the_top_of_an_inventory_is_named_as_such() -> None:
    quota = "{project: acme-ml, metric: m, region: us-east5, limit: 1, as_of: x}"
    content = f"version: 1\nas_of: 2026-11-20\nquotas:\n  - {quota}\n"
    (finding,) = read_inventory_content(content.encode(), "inventory.yaml").findings
    assert finding.why == "`as_of` is a key of the top level of the inventory"


def test_a_level_of_an_organization_file_has_its_own_name() -> None:
    content = (
        "version: 1\nstandards:\n  size: {max: {chips: 8, severity: warning}}\n  a: {labels: [b], standards: {}}\n"
    )
    whys = [finding.why for finding in read_organization_content(content.encode(), "organization.yaml").findings]
    assert whys == [
        "`severity` is a key of an entry of `standards`",
        "`standards` is a key of the top level of the organization file",
    ]


@pytest.mark.parametrize(
    ("piece", "rule", "fix"),
    [
        ("name: a, b, c", "TPU025", 'name: "a, b, c"'),
        ("name: a, b: null", "TPU020", ""),
        ("topology: 4x4, spot", "TPU020", ""),
        ("topology: 4x4, count:2", "TPU020", "count: 2"),
    ],
)
def test_a_key_after_a_comma_is_a_piece_of_the_value_before_unless_the_plan_has_that_key(
    piece: str, rule: str, fix: str
) -> None:
    group = f"{{tpu: v6e, zone: us-east5-b, {piece}}}"
    content = f"version: 1\nproject: acme-ml\nclusters:\n  train: {{mode: standard, slices: {{a: {group}}}}}\n"
    findings = {item.rule: item for item in read_plan_content(content.encode(), "plan.yaml").findings}
    assert findings[rule].fix == fix
    assert not {"TPU020", "TPU025"} - {rule} & findings.keys()


def test_a_comma_that_ends_a_value_is_reported_at_the_first_piece() -> None:
    cluster = "{mode: standard, location: us-east5, name: a, b, c}"
    content = f"version: 1\nproject: acme-ml\nclusters:\n  train: {cluster}\n"
    (finding,) = read_plan_content(content.encode(), "plan.yaml").findings
    assert (finding.rule, finding.path) == ("TPU025", ("clusters", "train", "b"))
    assert finding.message == "unquoted comma: YAML ends the value of `name` before b"


@pytest.mark.parametrize(
    ("entry", "fix"),
    [("moed: standard", "mode:"), ("moed: Standard", "mode: standard"), ("moed: [standard]", "mode: standard")],
)
def test_the_fix_has_the_value_where_that_changes_too(entry: str, fix: str) -> None:
    content = f"version: 1\nproject: acme-ml\nclusters:\n  train: {{location: us-east5, {entry}}}\n"
    (finding,) = read_plan_content(content.encode(), "plan.yaml").findings
    assert (finding.rule, finding.fix) == ("TPU020", fix)


def test_an_unknown_key_beside_the_key_that_it_means_names_that_key() -> None:
    cluster = {"netwrok": "create", "node_pools": {}, "network": "create", "slices": {}}
    assert reasons(cluster) == [
        "the key for this setting is `network`, which is already set",
        "the key for this setting is `slices`, which is already set",
    ]


def test_a_misspelled_name_of_another_tool_is_recognized() -> None:
    assert reasons({"slices": {"a": GROUP | {"nodetains": []}}}) == ["the key for this setting is `taints`"]
    lables = GROUP | {"lables": {"a": "b"}}
    assert reasons({"slices": {"a": lables}}) == ["other tools use this name for several things"]


def test_keys_that_together_are_a_mapping_are_reported_as_one() -> None:
    document = parse_plan(
        {
            "version": 1,
            "project": "acme-ml",
            "clusters": {"train": CLUSTER | {"maintenance": {**WINDOW, "exclusions": {}}}},
        }
    )
    (finding,) = document.findings
    assert finding.path == ("clusters", "train", "maintenance")
    assert finding.message == "unknown keys start and duration"
    assert finding.why == "start and duration are keys of `window`"
    assert finding.fix == "maintenance: {exclusions: {}, window: {start: 2026-12-01T00:00:00Z, duration: 4h}}"
    assert document.content is not None
    assert document.content.clusters["train"].maintenance is not None


def test_one_such_key_alone_is_reported_by_itself() -> None:
    assert reasons({"maintenance": {"duration": "4h"}}) == ["`duration` is a key of `window`"]


def test_two_misspellings_of_one_key_have_both_readings() -> None:
    cluster = {"mode": "standard", "locaton": "us-east5", "locatoin": "us-east1"}
    found = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}}).findings
    assert [(item.path[-1], item.fix) for item in found if item.rule == "TPU020"] == [
        ("locaton", "location: us-east5      # or location: us-east1, for `locatoin`"),
        ("locatoin", "location: us-east1      # or location: us-east5, for `locaton`"),
    ]
    assert not any(item.only_fix for item in found)


@pytest.mark.parametrize(
    ("keys", "fixes"),
    [
        (
            {"spot": True, "flex_start": True},
            [
                "capacity: spot      # or capacity: flex_start, for `flex_start`",
                "capacity: flex_start      # or capacity: spot, for `spot`",
            ],
        ),
        (
            {"accelerator": "v6e", "generation": "v5e"},
            ["tpu: v6e      # or tpu: v5e, for `generation`", "tpu: v5e      # or tpu: v6e, for `accelerator`"],
        ),
        (
            {"accelerator_type": "v6e-16", "tpu_type": "v6e-64"},
            [
                "tpu: v6e\ntopology: 4x4      # or tpu: v6e, topology: 8x8, for `tpu_type`",
                "tpu: v6e\ntopology: 8x8      # or tpu: v6e, topology: 4x4, for `accelerator_type`",
            ],
        ),
    ],
    ids=["modes", "generations", "slices"],
)
def test_two_unknown_keys_for_one_setting_have_both_readings(keys: dict[str, Any], fixes: list[str]) -> None:
    cluster = {"mode": "standard", "location": "us-east5", "slices": {"main": {"zone": "us-east5-b", **keys}}}
    found = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}}).findings
    assert [item.fix for item in found if item.rule == "TPU020"] == fixes
    assert not any(item.only_fix for item in found)


def test_a_key_of_a_lower_level_names_its_places() -> None:
    found = parse_plan({"version": 1, "project": "acme-ml", "clusters": {}, "topology": "2x2"}).findings
    assert [item.why for item in found if item.rule == "TPU020"] == [
        "`topology` is a key of `clusters.*.slices.*` and `clusters.*.kubernetes.workloads.*`"
    ]


@pytest.mark.parametrize(
    ("wrong", "key", "name"),
    [
        ({"clusters": {"train": CLUSTER, "slices": {"a": GROUP}}}, "slices", "train"),
        ({"clusters": {"train": CLUSTER, "system_pool": {"machine_type": "e2-standard-4"}}}, "system_pool", "train"),
        ({"clusters": {"train": CLUSTER, "network": "create"}}, "network", "train"),
        ({"clusters": {"train": CLUSTER | {"slices": {"a": GROUP, "capacity": "spot"}}}}, "capacity", "a"),
        ({"clusters": {"train": CLUSTER | {"cpu_pools": {"b": {}, "taints": []}}}}, "taints", "b"),
    ],
)
def test_a_key_beside_the_entry_that_it_belongs_to_is_one_finding(wrong: dict[str, Any], key: str, name: str) -> None:
    document = parse_plan({"version": 1, "project": "acme-ml", **wrong})
    (finding,) = (found for found in document.findings if found.rule in ("TPU020", "TPU021") and found.path[-1] == key)
    assert "is at the level of the names in" in finding.message
    assert f"are in `{name}`" in finding.why


@pytest.mark.parametrize("name", ["slices", "network", "capacity"])
def test_a_name_may_be_a_key(name: str) -> None:
    clusters = {name: CLUSTER | {"slices": {name: GROUP}}, "train": CLUSTER}
    assert parse_plan({"version": 1, "project": "acme-ml", "clusters": clusters}).findings == ()


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("resources", "resources are those of Pods"),
        ("limits", "resources are those of Pods"),
        ("autoscale", "min and max are numbers of slices"),
        ("hpa", "min and max are numbers of slices"),
        ("autoscale.min", "min and max are numbers of slices"),
        ("autoscaling.max_nodes", "min and max are numbers of slices"),
        ("tags", "network tags"),
        ("network_tags", "network tags"),
        ("accelerator_count", "the topology determines the number of chips"),
    ],
)
@pytest.mark.parametrize("value", [4, ["a"], {"min": 0}])
def test_names_of_other_tools_without_a_key_have_a_reason_and_no_neighbor(key: str, reason: str, value: object) -> None:
    document = parse_plan(
        {"version": 1, "project": "acme-ml", "clusters": {"train": CLUSTER | {"slices": {"a": GROUP | {key: value}}}}}
    )
    (finding,) = document.findings
    assert reason in finding.why
    assert (finding.allowed, finding.fix) == ((), "")


@pytest.mark.parametrize(
    ("queues", "fix", "why"),
    [
        (["q"], "queues: {q: {}}", "each entry has its name as key"),
        (["q", "r"], "queues: {q: {}, r: {}}", "each entry has its name as key"),
        ("q", "queues: {q: {}}", "each entry has its name as key"),
        ({"q": {"chips": 16}}, "", "each entry has a name as key: `chips: {NAME: 16}`"),
        (16, "", "each entry has a name as key: `queues: {NAME: {...}}`"),
    ],
)
def test_a_mapping_of_names_in_another_form_has_an_example(queues: object, fix: str, why: str) -> None:
    cluster = CLUSTER | {"slices": {"a": GROUP}, "kubernetes": {"queues": queues}}
    (finding,) = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}}).findings
    assert (finding.fix, finding.why) == (fix, why)


@pytest.mark.parametrize(("sides", "fix"), [([4, 4], "topology: 4x4"), ([4, 4, 8], "topology: 4x4x8"), ([True, 4], "")])
def test_a_topology_as_a_list_is_joined(sides: list[object], fix: str) -> None:
    cluster = CLUSTER | {"slices": {"a": GROUP | {"topology": sides}}}
    (finding,) = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}}).findings
    assert (finding.fix, finding.only_fix) == (fix, bool(fix))


@pytest.mark.parametrize(
    ("size", "fix"), [("tpu: v6e, chips: 8", "family: ct6e"), ("tpu: v5e, chips: 8", ""), ("tpu: v6e, vms: 8", "")]
)
def test_a_generation_in_an_inventory_is_its_only_family(size: str, fix: str) -> None:
    entry = f"{{name: a, project: acme-ml, zone: us-east5-b, {size}}}"
    content = f"version: 1\nas_of: 2026-11-20\nreservations:\n  - {entry}\n"
    found = read_inventory_content(content.encode(), "inventory.yaml").findings
    (finding,) = (finding for finding in found if finding.rule == "TPU020")
    assert finding.fix == fix
    assert "`family`" in finding.why


@pytest.mark.parametrize(
    ("cluster", "reason"),
    [
        (
            {"slices": {"a": GROUP | {"capacity": "spot", "dws": True}}},
            "other tools use this name for `capacity: flex_start` or `capacity: queued`, and `capacity` is already set",
        ),
        (
            {"slices": {"a": GROUP | {"labels": {"a": "b"}, "node_labels": {}, "resource_labels": {}}}},
            "`node_labels` and `resource_labels` are already set",
        ),
        (
            {"kubernetes": {"queues": {"team": {"quota": 32}}}},
            "the key for this setting is `chips: {NAME: 32}`",
        ),
        (
            {"slices": {"a": GROUP | {"capacity": {"calendar": "x"}}}},
            "calendar mode reserves capacity: write `reservation: NAME`",
        ),
        (
            {"tags": ["tpu"]},
            "gke-tpu has no key for network tags; `extra: {nodeConfig: {tags: [...]}}` of a slice group",
        ),
    ],
)
def test_a_name_of_another_tool_that_cannot_be_written_says_what_to_write(cluster: dict[str, Any], reason: str) -> None:
    (found,) = reasons(cluster)
    assert reason in found
