"""The provider behind the plugin: the same components as in Python, and findings as errors about properties."""

from pathlib import Path
from typing import Any

import pulumi
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pulumi.errors import InputPropertiesError, InputPropertyErrorDetails
from support.recording import record

from pulumi_gke_tpu import AutopilotCluster, StandardCluster, TpuFleet, TpuSlices
from pulumi_gke_tpu.features.plugin.provider import TpuProvider
from pulumi_gke_tpu.features.plugin.schema import read_package

STANDARD, AUTOPILOT = "gke-tpu:index:StandardCluster", "gke-tpu:index:AutopilotCluster"
SLICES = "gke-tpu:index:TpuSlices"
SENT: Any = {
    "project": "acme-ml",
    "location": "us-east5",
    "network": {"create": {"mtu": 8896.0}},
    "slices": {
        "train": {
            "tpu": "v6e",
            "topology": "4x4",
            "zone": "us-east5-b",
            "count": 2.0,
            "bootDisk": {"type": "hyperdisk-balanced", "sizeGib": 200.0},
        }
    },
}
WRITTEN: Any = {
    "project": "acme-ml",
    "location": "us-east5",
    "network": {"create": {"mtu": 8896}},
    "slices": {
        "train": {
            "tpu": "v6e",
            "topology": "4x4",
            "zone": "us-east5-b",
            "count": 2,
            "boot_disk": {"type": "hyperdisk-balanced", "size_gib": 200},
        }
    },
}
_COMPONENTS = read_package().components
_NAMES = sorted({name for kind in _COMPONENTS.values() for name in kind["inputProperties"]})


def _part(cluster: Any) -> Any:
    """A cluster as one of a fleet."""
    return {"mode": "standard"} | {key: value for key, value in cluster.items() if key != "project"}


def refused(component: str, inputs: object, name: str = "train") -> InputPropertiesError:
    with pytest.raises(InputPropertiesError) as caught:
        TpuProvider().construct(name, component, inputs)  # type: ignore[arg-type]
    return caught.value


GROUP = {"project": "acme-ml", "cluster": "projects/acme-ml/locations/us-east5/clusters/train", "location": "us-east5"}
FLEET = {"project": "acme-ml", "today": "2026-11-20"}


@pytest.mark.parametrize(
    ("component", "sent", "written"),
    [
        (StandardCluster, SENT, WRITTEN),
        (TpuSlices, GROUP | SENT["slices"]["train"], GROUP | WRITTEN["slices"]["train"]),
        (TpuFleet, FLEET | {"clusters": {"one": _part(SENT)}}, FLEET | {"clusters": {"one": _part(WRITTEN)}}),
    ],
)
def test_it_registers_what_a_program_in_python_does(component: Any, sent: Any, written: Any) -> None:
    token = f"gke-tpu:index:{component.__name__}"
    ours = record(lambda: TpuProvider().construct("train", token, sent))
    python = record(lambda: component("train", written))
    assert {item.urn: item.inputs for item in ours} == {item.urn: item.inputs for item in python}
    assert len(ours.registrations) > 2


def test_the_outputs_have_the_names_of_the_schema() -> None:
    states: list[object] = []
    inputs = {"project": "acme-ml", "location": "us-central1"}
    record(lambda: states.append(TpuProvider().construct("dev", AUTOPILOT, inputs).state))
    assert [sorted(state) for state in states] == [  # type: ignore[call-overload]
        [
            "caCertificate",
            "clusterId",
            "clusterName",
            "endpoint",
            "kubeconfig",
            "kubeconfigCommand",
            "network",
            "nodePools",
            "nodeServiceAccount",
            "resource",
            "subnetwork",
        ]
    ]


def test_options_reach_the_component() -> None:
    options = pulumi.ResourceOptions(protect=True)
    inputs = {"project": "acme-ml", "location": "us-central1"}
    made = record(lambda: TpuProvider().construct("dev", AUTOPILOT, inputs, options))
    assert made.one(AUTOPILOT).protect is True
    assert record(lambda: AutopilotCluster("dev", inputs)).one(AUTOPILOT).protect is None  # type: ignore[arg-type]


def test_every_error_has_its_property() -> None:
    group = {"tpu": "v6e", "topology": "4x3", "zone": "us-east5-b", "bootDisk": {"type": "pd-balanced"}}
    error = refused(STANDARD, SENT | {"minVersion": 1.34, "slices": {"my_group": group}})
    reasons = {detail["property_path"]: detail["reason"] for detail in error.errors or []}
    here = "slices.my_group"
    assert error.message == "4 errors in the arguments of train"
    assert sorted(reasons) == ["minVersion", here, f"{here}.bootDisk.type", f"{here}.topology"]
    assert reasons[f"{here}.topology"].splitlines()[0] == "TPU112 v6e has no topology 4x3"
    ways_on = [line.strip().split(":")[0] for line in reasons[f"{here}.bootDisk.type"].splitlines()[1:]]
    assert ways_on == ["allowed", "try", "why"]


def test_the_errors_in_the_docs_are_current() -> None:
    slices = {
        "pretrain": {"tpu": "v6e", "topology": "4x3", "zone": "us-east5-b"},
        "serve": {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b", "bootDisk": {"type": "pd-balanced"}},
    }
    error = refused(STANDARD, {"project": "my-project", "location": "us-east5", "slices": slices})
    page = (Path(__file__).parents[3] / "docs" / "other-languages.md").read_text(encoding="utf-8")
    shown = page.partition("resource 'train' has a problem: ")[2].partition("```")[0]
    assert shown.splitlines()[0] == error.message
    reasons = [line.partition(" has a problem: ")[2] or line for line in shown.splitlines()[1:]]
    expected = [line for detail in error.errors or [] for line in detail["reason"].splitlines()]
    assert [line.strip() for line in reasons] == [line.strip() for line in expected]


def test_an_error_about_the_whole_is_in_the_message() -> None:
    """With an empty path, the engine would show all arguments."""
    group = {"project": "acme-ml", "cluster": "c", "location": "us-east5", "tpu": "v6e", "topology": "4x4"}
    error = refused(SLICES, group | {"zone": "us-east5-b"}, name="train/my_group")
    assert error.errors == []
    shown = "TPU292 invalid node pool name `my_group`: use lower-case letters, digits and hyphens"
    assert f"\n\t\t- {shown}\n\t\t  try: name: my-group\n" in error.message


@pytest.mark.parametrize(
    ("inputs", "path"),
    [
        ({}, "location"),
        ({"location": "us-east5"}, "project"),
        (SENT | {"slices": 5.0}, "slices"),
        (SENT | {"slices": {"train": []}}, "slices.train"),
        (SENT | {"systemPool": {"minNodes": 0.5}}, "systemPool.minNodes"),
        (SENT | {"locatoin": "us-east5"}, "locatoin"),
        (SENT | {"today": "soon"}, "today"),
        (SENT | {"acknowledge": [{"change": "replace"}]}, "acknowledge[0].of"),
        (SENT | {"slices": {"a\x1b[31m": {}}}, 'slices["a\\x1b[31m"].tpu'),
    ],
)
def test_whatever_is_wrong_is_an_error_about_a_property(inputs: object, path: str) -> None:
    details = refused(STANDARD, inputs).errors or []
    assert path in [detail["property_path"] for detail in details]
    assert not [detail for detail in details if "\x1b" in f"{detail}"]


_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.sampled_from(["2x2", "v6e", "us-east5-b"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(_NAMES) | st.text(max_size=3), inner),
    max_leaves=8,
)


@given(
    component=st.sampled_from(sorted(_COMPONENTS)),
    inputs=st.dictionaries(st.sampled_from(_NAMES), _values, max_size=6),
)
def test_whatever_is_sent_without_a_project_is_refused(component: str, inputs: dict[str, Any]) -> None:
    inputs.pop("project", None)
    inputs.pop("protect", None)  # where only `project` is missing, it is taken for a misspelled one
    paths = [detail["property_path"] for detail in refused(component, inputs).errors or []]
    assert "project" in paths


@pytest.mark.parametrize("key", ["location", "slices", "privateNodes", "systemPool", "releaseChannel"])
def test_an_unknown_value_cannot_decide_about_resources(key: str) -> None:
    def program() -> None:
        errors.extend(refused(STANDARD, SENT | {key: pulumi.Output.from_input("us-east5")}).errors or [])

    errors: list[InputPropertyErrorDetails] = []
    record(program)
    (error,) = errors
    assert error["property_path"] == key
    assert error["reason"].startswith(f"TPU022 `{key}` must be known before other resources exist\n")


def test_there_is_no_other_component() -> None:
    with pytest.raises(pulumi.RunError, match="unknown component gke-tpu:index:Nothing; use one of"):
        TpuProvider().construct("name", "gke-tpu:index:Nothing", {})
