"""Mistakes in a component's arguments: all told at once, by their place, before anything is registered."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest
from support.plans import POLICY
from support.recording import record

from pulumi_gke_tpu import AutopilotCluster, FindingsError, StandardCluster, TpuFleet, TpuSlices
from pulumi_gke_tpu.components import resolve
from pulumi_gke_tpu.components.cluster_name import checked_name
from pulumi_gke_tpu.components.refusal import in_python
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.text.findings import format_path

SLICE: Any = {"tpu": "v5e", "topology": "4x4", "zone": "us-central1-a"}
CUBE: Any = {"tpu": "tpu7x", "topology": "2x2x2", "zone": "us-central1-c"}
AT: Any = {"project": "acme-ml", "location": "us-central1"}


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("east", {**AT, "nam": "x"}, [("TPU020", "nam")]),
        ("east", {"project": "acme-ml"}, [("TPU021", "")]),
        ("east", {"location": "us-central1"}, [("TPU021", "")]),
        ("east", {**AT, "slices": {"a": {**SLICE, "topology": "4x3"}}}, [("TPU112", "slices.a.topology")]),
        (
            "east",
            {**AT, "min_version": 1.34, "slices": {"a": {**SLICE, "tpu": "v9"}}},
            [("TPU022", "min_version"), ("TPU101", "slices.a.tpu")],
        ),
        (
            "east",
            {**AT, "acknowledge": [{"change": "replace", "of": "east", "reason": "", "until": "2026-12-01"}]},
            [("TPU023", "acknowledge[0].reason")],
        ),
        ("east", {**AT, "today": "tomorrow"}, [("TPU023", "today")]),
        ("East", AT, [("TPU251", "")]),
    ],
)
def test_mistakes_in_a_cluster(name: str, args: Any, expected: list[tuple[str, str]]) -> None:
    check_mistakes(lambda: StandardCluster(name, args), expected)


@pytest.mark.parametrize("mode", ["standard", "autopilot", None, 3])
@pytest.mark.parametrize(("component", "own"), [(StandardCluster, "standard"), (AutopilotCluster, "autopilot")])
def test_another_mode_than_that_of_the_component_is_a_mistake(component: Any, own: str, mode: Any) -> None:
    def register() -> None:
        component("east", {**AT, "mode": mode})

    if mode == own:
        record(register)
    else:
        check_mistakes(register, [("TPU023", "mode")])


@pytest.mark.parametrize("value", [True, 7, 1.5])
def test_messages_about_arguments_do_not_name_yaml(value: object) -> None:
    with pytest.raises(FindingsError) as error:
        record(lambda: StandardCluster("east", {**AT, "resource_labels": {"team": value}, "location": value}))
    assert "must be a string; the value is" in str(error.value)
    assert "YAML" not in str(error.value)


def test_a_standard_key_is_a_mistake_on_autopilot() -> None:
    system: Any = {**AT, "system_pool": {}}
    check_mistakes(lambda: AutopilotCluster("east", system), [("TPU281", "system_pool")])


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("train", {}, [("TPU021", "")] * 4),
        ("train", {**AT, **SLICE}, [("TPU021", "")]),
        ("train", {**AT, **SLICE, "cluster": "c", "zoen": 1}, [("TPU020", "zoen")]),
        (
            "train",
            {**AT, **SLICE, "cluster": "c", "count": "two", "topology": "4x5", "max_pods_per_node": 999, "nodes": 4},
            [("TPU022", "count"), ("TPU112", "topology"), ("TPU511", "max_pods_per_node"), ("TPU020", "nodes")],
        ),
        ("train", {**AT, **SLICE, "cluster": "c", "mode": "standart"}, [("TPU023", "mode")]),
        ("train", {**AT, **SLICE, "cluster": "c", "min_version": 1.34}, [("TPU022", "min_version")]),
        ("train", {**AT, **SLICE, "cluster": "c", "location": "mars"}, [("TPU201", "location")]),
        ("train", {**AT, **SLICE, "cluster": "c", "topology": "4x3"}, [("TPU112", "topology")]),
        (
            "train",
            {**AT, **SLICE, "cluster": "c", "taints": [{"key": "a", "effect": "NEVER"}]},
            [("TPU023", "taints[0].effect")],
        ),
        ("train", {**AT, **SLICE, "cluster": "c", "today": 7}, [("TPU023", "today")]),
        ("a/Train", {**AT, **SLICE, "cluster": "c"}, [("TPU292", "")]),
    ],
)
def test_mistakes_in_slices(name: str, args: Any, expected: list[tuple[str, str]]) -> None:
    check_mistakes(lambda: TpuSlices(name, args), expected)


@pytest.mark.parametrize(
    ("key", "value", "place"),
    [
        ("cluster", lambda resource: resource, "cluster"),
        ("node_labels", lambda resource: {"a": resource}, "node_labels.a"),
        ("taints", lambda resource: [{"key": "a", "value": resource, "effect": "NO_SCHEDULE"}], "taints[0].value"),
    ],
)
def test_a_resource_instead_of_its_output_is_named(key: str, value: Callable[[Any], Any], place: str) -> None:
    def program() -> None:
        args: Any = {**AT, **SLICE, "cluster": "c"}
        cluster = gcp.container.Cluster("theirs", project="acme-ml", location="us-central1")
        TpuSlices("train", {**args, key: value(cluster)})

    with pytest.raises(
        TypeError, match=rf"TpuSlices `train`: {re.escape(place)} takes a value .* resource Cluster; .*\.id"
    ):
        record(program)


@pytest.mark.parametrize("component", [StandardCluster, AutopilotCluster])
def test_the_output_that_identifies_a_cluster_component_exists(component: Any) -> None:
    """A component has no `id`, so an error that suggests it leads to the next error."""

    def program() -> None:
        args: Any = {**AT, **SLICE}
        cluster = component("theirs", project="acme-ml", location="us-central1")
        with pytest.raises(TypeError, match=r"resource \w+Cluster; .*\.cluster_id`"):
            TpuSlices("train", {**args, "cluster": cluster})
        TpuSlices("train", {**args, "cluster": cluster.cluster_id})

    record(program)


def test_a_mistake_in_a_fleet() -> None:
    fleet: Any = {"project": "acme-ml", "clusters": {"east": {"mode": "standard", "location": "us-central1", "nam": 1}}}
    check_mistakes(lambda: TpuFleet("fleet", fleet), [("TPU020", "clusters.east.nam")])


def check_mistakes(program: Callable[[], object], expected: list[tuple[str, str]]) -> None:
    """One exception contains all errors, by their path in the arguments, before a resource is registered."""
    urns: list[str] = []
    with pytest.raises(FindingsError) as refused:
        record(program, partial=urns)
    found = [(finding.rule, format_path(finding.path)) for finding in refused.value.findings]
    assert sorted(found) == sorted(expected)
    assert urns == []


@pytest.mark.parametrize(
    ("cluster", "start"),
    [
        ("My_Cluster", "my-cluster"),
        ("9to5", "to5"),
        ("x" * 60, "x" * 40),
        ("x" * 39 + "-y", "x" * 39),
        ("123", "cluster"),
    ],
)
def test_the_cluster_part_of_a_name_need_not_be_a_name_in_gke(cluster: str, start: str) -> None:
    policy = record(lambda: TpuSlices(f"{cluster}/train", {**AT, **CUBE, "cluster": "c"})).one(POLICY)
    assert (policy.name, policy.inputs["name"]) == (f"{cluster}/train", f"{start}-train-2x2x2")


# What the program shows


def shown(program: Callable[[], object]) -> list[str]:
    """The message of the error that ends the program."""
    with pytest.raises(FindingsError) as refused:
        record(program)
    return str(refused.value).splitlines()


def test_the_error_names_the_component_and_its_argument_with_a_fix_in_python() -> None:
    size: Any = {**AT, **SLICE, "topology": "2x2", "cluster": "c", "count": {"min": 4, "max": 2}}
    assert shown(lambda: TpuSlices("east/train", size))[:3] == [
        "1 error in the arguments of TpuSlices `east/train`",
        "TPU402 count.min: `min` exceeds `max`: 4 > 2",
        '    try:     "min": 2',
    ]
    missing: Any = {key: value for key, value in {**AT, **SLICE}.items() if key != "cluster"}
    assert shown(lambda: TpuSlices("train", missing))[1:3] == [
        "TPU021 arguments: missing key `cluster`",
        '    try:     "cluster": "projects/P/locations/L/clusters/C"',
    ]


@pytest.mark.parametrize("component", [StandardCluster, AutopilotCluster])
def test_the_error_of_a_cluster_names_it(component: Any) -> None:
    first, second, *_ = shown(lambda: component("east", {**AT, "locatoin": "us-east5"}))
    assert first == f"1 error in the arguments of {component.__name__} `east`"
    assert second.startswith("TPU020 locatoin: ")


def test_the_error_of_a_fleet_names_it() -> None:
    fleet: Any = {"project": "acme-ml", "clusters": {"east": {"mode": "standard", "location": "us-central1", "nam": 1}}}
    first, second, *_ = shown(lambda: TpuFleet("ours", fleet))
    assert first == "1 error in the arguments of TpuFleet `ours`"
    assert second.startswith("TPU020 clusters.east.nam: ")


def test_a_cluster_that_is_known_later_is_named_too() -> None:
    async def name() -> None:
        reference = pulumi.Output.from_input("projects/other/locations/us-central1/clusters/c")
        found: Any = checked_name("train", reference, "us-central1", "acme-ml", read_catalog())
        await found.future()

    with pytest.raises(FindingsError, match="1 error in the arguments of TpuSlices `train`\nTPU215 project: "):
        asyncio.run(name())


@pytest.mark.parametrize(
    ("fix", "python"),
    [
        ("min: 0", '"min": 0'),
        ("min: 0\nmax: 4", '"min": 0,\n"max": 4'),
        ("count: {min: 0, max: 4}", '"count": {"min": 0, "max": 4}'),
        ("capacity: spot", '"capacity": "spot"'),
        ("protect: true", '"protect": True'),
        ("taints: [{key: a, value: null}]", '"taints": [{"key": "a", "value": None}]'),
        ("until: 2026-12-01", '"until": "2026-12-01"'),
        ("mtu:", '"mtu":'),
        ("us-east5-b", "us-east5-b"),
        ("{", "{"),
        ("", ""),
    ],
)
def test_fixes_are_entries_of_a_dictionary(fix: str, python: str) -> None:
    assert in_python(fix) == python


# Warnings


DOUBTFUL: Any = {**AT, **CUBE, "cluster": "c", "capacity": {"spot": True}}
EAST = {"mode": "standard", "location": "us-east5"}
IDLE = {"interval": "periodic", "opportunistic": {"idle": "10m", "window": "14d", "min_nodes": 0}}
ACCEPTED = {"rule": "TPU302", "reason": "we are on the list", "until": "2026-12-01"}


@pytest.mark.parametrize(
    ("more", "logged"),
    [
        ({}, True),
        ({"accept": [ACCEPTED], "today": "2026-12-01"}, False),
        ({"accept": [ACCEPTED], "today": "2026-12-02"}, True),
        ({"accept": [ACCEPTED]}, True),
    ],
)
def test_warnings_are_logged_unless_they_are_accepted(more: Any, logged: bool) -> None:
    messages = record(lambda: TpuSlices("train", {**DOUBTFUL, **more})).messages
    assert any(message.startswith("TPU302 capacity of TpuSlices `train`: ") for message in messages) is logged


@pytest.mark.parametrize(
    ("version", "keys", "logged"),
    [
        ("10.1.3", {"count": 4, "best_effort": 2}, True),
        ("10.2.0", {"count": 4, "best_effort": 2}, False),
        ("11.0.0", {"count": 4, "best_effort": 2}, False),
        ("main", {"count": 4, "best_effort": 2}, False),
        ("10.1.3", {"count": 4}, False),
        ("9.35.0", {"host_maintenance": IDLE, "capacity": {"reservation": "ours"}}, True),
        ("9.35.0", {"host_maintenance": "periodic", "capacity": {"reservation": "ours"}}, False),
    ],
)
def test_keys_that_the_installed_provider_lacks_are_logged(
    version: str, keys: Any, logged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolve, "plugin_version", lambda provider: version)
    group = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b", **keys}
    plan = {"project": "acme-ml", "clusters": {"train": {**EAST, "slices": {"serve": group}}}}
    alone = {"project": "acme-ml", "location": "us-east5", "cluster": "c", **group}
    for make in (lambda: TpuFleet("fleet", plan), lambda: TpuSlices("serve", alone)):
        messages = [each for each in record(make).messages if f"pulumi-gcp {version} does not have" in each]
        assert len(messages) == int(logged)


def test_notes_are_not_logged() -> None:
    unused = {"accept": [{"rule": "TPU203", "reason": "we know", "until": "2026-12-01"}], "today": "2026-11-20"}
    messages = record(lambda: TpuSlices("train", {**AT, **SLICE, "cluster": "c", **unused})).messages
    assert [message for message in messages if "TPU904" in message] == []


@pytest.mark.parametrize("option", ["parent", "depends_on", "protect", "provider", "ignore_changes"])
def test_a_resource_option_among_the_arguments_leads_to_opts(option: str) -> None:
    arguments: Any = {**AT, option: True}
    with pytest.raises(FindingsError, match=rf"opts=pulumi\.ResourceOptions\({option}=\.\.\.\)"):
        StandardCluster("east", **arguments)


@pytest.mark.parametrize("name", ["plan", "config"])
@pytest.mark.parametrize("value", ["plan.yaml", {"version": 1}])
def test_a_whole_plan_under_a_keyword_is_one_error_with_the_way_to_give_it(name: str, value: Any) -> None:
    arguments: Any = {name: value}
    with pytest.raises(FindingsError, match=r'TpuFleet\(NAME, load_plan\("plan\.yaml"\)\)') as refused:
        TpuFleet("east", **arguments)
    assert [(each.rule, each.path) for each in refused.value.findings] == [("TPU020", (name,))]


def test_a_parent_must_be_a_resource() -> None:
    options: Any = {"parent": "east"}
    with pytest.raises(TypeError, match="option `parent` is a resource, and not east"):
        record(lambda: StandardCluster("east", **AT, opts=pulumi.ResourceOptions(**options)))
