"""The graph equals the requests of Pulumi's SDK, for the plans of this repository.

A request is compared whole: type, name, parent, every property, every option, also those that a preview does not show.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import pulumi
import pytest
from support.plan_corpus import Source, catalog, source, sources
from support.recording import Recording, record
from support.sampling import sample
from support.shipped import TODAY
from support.wire import differences

from pulumi_gke_tpu import TpuFleet
from pulumi_gke_tpu.components.registration import alone, inside
from pulumi_gke_tpu.core.graph import resource_types
from pulumi_gke_tpu.core.graph.builders.standard import tpu_fleet
from pulumi_gke_tpu.core.graph.declared import Declarations, Declared, Ref
from pulumi_gke_tpu.core.graph.registered import registered

Change = Callable[[Declared], Declared]

NAME = "fleet"
PARTS = {"stacks": 1, "edits": 2, "matrix": 1, "rules": 2, "pages": 1}
"""Kind of plan -> tests among which its plans are divided."""
SAMPLES = {"stacks": 8, "edits": 16, "matrix": 3, "rules": 40, "pages": 4}
"""Kind of plan -> plans in a sample."""


def run(plan: Source) -> Recording:
    """What the SDK sends for a plan."""

    def program() -> None:
        inside(TpuFleet, alone(iter(declared(plan)), catalog()), pulumi.ResourceOptions())

    return record(program, hooks=True)


def declared(plan: Source) -> Declarations:
    return Declarations(tpu_fleet(plan.fleet, catalog(), plan.data, NAME))


def compare(declarations: Declarations, recording: Recording) -> list[str]:
    """How the requests of a plan differ from its graph."""
    graph = registered(declarations, project="gke-tpu", stack="preview")
    return differences(declarations, graph, recording, hook=f"node pools of TpuFleet {NAME}")


@pytest.mark.parametrize(("kind", "part"), [(kind, part) for kind, parts in PARTS.items() for part in range(parts)])
def test_the_graph_is_what_the_sdk_sends(kind: str, part: int) -> None:
    """Many plans of rules make the same resources as an earlier one."""
    wrong, seen = [], set()
    for plan in sample(sources(kind), SAMPLES[kind])[part :: PARTS[kind]]:
        graph = declared(plan)
        if (resources := repr([*graph])) in seen:
            continue
        seen.add(resources)
        recording = run(plan)
        repeated = [urn for urn in recording.urns if recording.urns.count(urn) > 1]
        wrong += [f"{plan}: {text}" for text in (*repeated, *compare(graph, recording))]
    assert not wrong, f"{len(wrong)} resources differ, such as:\n" + "\n".join(wrong[:5])


# The comparison itself


@pytest.fixture(scope="module")
def plan() -> Source:
    """A plan with a network, an account, protected slices, a workload policy and former names."""
    data = {
        "version": 1,
        "project": "acme-ml",
        "moved": [{"from": "west", "to": "east"}],
        "clusters": {
            "east": {
                "mode": "standard",
                "location": "us-central1",
                "network": "create",
                "slices": {
                    "cubes": {
                        "tpu": "tpu7x",
                        "topology": "2x2x2",
                        "zone": "us-central1-c",
                        "capacity": {"reservation": "ours"},
                    }
                },
            }
        },
    }
    found = source("changed graph", data, TODAY)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def recording(plan: Source) -> Recording:
    return run(plan)


def options(**changes: Any) -> Change:
    """Another value for some options."""
    return lambda item: dataclasses.replace(item, options=dataclasses.replace(item.options, **changes))


def properties(**changes: Any) -> Change:
    """Another value for some properties."""
    return lambda item: dataclasses.replace(item, properties={**item.properties, **changes})


def fields(**changes: Any) -> Change:
    """Another value for some fields."""
    return lambda item: dataclasses.replace(item, **changes)


POOL, SYSTEM = f"{resource_types.NODE_POOL}::east/cubes/cubes-0", f"{resource_types.NODE_POOL}::east/system"
EAST, SLICES = f"{resource_types.CLUSTER}::east", f"{resource_types.TPU_SLICES}::east/cubes"
STANDARD, NETWORK, ROUTER = (
    f"{resource_types.STANDARD_CLUSTER}::east",
    f"{resource_types.NETWORK}::east",
    f"{resource_types.ROUTER}::east",
)
ACCOUNT, POLICY = f"{resource_types.ACCOUNT}::east", f"{resource_types.RESOURCE_POLICY}::east/cubes"

CHANGES: dict[str, tuple[str, Change]] = {
    "another value": (EAST, properties(deletionProtection=False)),
    "a number for a boolean": (EAST, properties(deletionProtection=1)),
    "a string for a number": (POOL, properties(nodeCount="2")),
    "a property more": (NETWORK, properties(description="")),
    "a property less": (NETWORK, properties(routingMode=None)),
    "a value inside": (SYSTEM, properties(management={"autoRepair": True, "autoUpgrade": False})),
    "a null inside": (SYSTEM, properties(management={"autoRepair": True, "autoUpgrade": True, "more": None})),
    "a value that is known": (POOL, properties(cluster="east")),
    "another output": (POOL, properties(cluster=Ref(ACCOUNT, "email"))),
    "no source of a known value": (f"{resource_types.ROUTER_NAT}::east", properties(router="east")),
    "an argument of a component": (STANDARD, properties(mode="autopilot")),
    "another type": (SYSTEM, fields(type=resource_types.RESOURCE_POLICY)),
    "another name": (SYSTEM, fields(name="east/systems")),
    "another parent": (SYSTEM, fields(parent=f"{resource_types.TPU_FLEET}::fleet")),
    "an output of a component": (SLICES, lambda item: fields(outputs={**item.outputs, "chips": 4})(item)),
    "no secret output of a component": (
        STANDARD,
        lambda item: fields(outputs={**item.outputs, "ca_certificate": Ref(EAST, "masterAuth")})(item),
    ),
    "not protected": (POOL, options(protect=False)),
    "protection left open": (POLICY, options(protect=None)),
    "created first": (POOL, options(delete_before_replace=False)),
    "order left to the provider": (POLICY, options(delete_before_replace=None)),
    "replaced on another change": (POLICY, options(replace_on_changes=("region",))),
    "nothing ignored": (SYSTEM, options(ignore_changes=())),
    "another timeout": (EAST, options(custom_timeouts=(("create", "1h"), ("delete", "2h"), ("update", "2h")))),
    "no timeouts": (EAST, options(custom_timeouts=())),
    "no alias": (SLICES, options(aliases=())),
    "no alias by type": (ACCOUNT, lambda item: options(aliases=item.options.aliases[:1])(item)),
    "aliases in another order": (STANDARD, lambda item: options(aliases=item.options.aliases[::-1])(item)),
    "no dependency": (EAST, options(depends_on=())),
    "another dependency": (POLICY, options(depends_on=(EAST,))),
    "no secret outputs": (EAST, options(secret_outputs=())),
    "no hook": (SYSTEM, options(checked_update=False)),
}
"""What is changed -> the resource and the change."""


def test_the_unchanged_graph_is_what_is_sent(plan: Source, recording: Recording) -> None:
    assert compare(declared(plan), recording) == []


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_graph_is_not_what_is_sent(plan: Source, recording: Recording, name: str) -> None:
    key, change = CHANGES[name]
    before = declared(plan)
    assert [item.key for item in before].count(key) == 1
    after = Declarations(change(item) if item.key == key else item for item in before)
    assert compare(after, recording) != []


def test_a_resource_less_or_more_is_found(plan: Source, recording: Recording) -> None:
    before = declared(plan)
    (system,) = (item for item in before if item.key == SYSTEM)
    less = Declarations(item for item in before if item is not system)
    more = Declarations(iter([*before, dataclasses.replace(system, name="east/more")]))
    assert [text.split(":")[0] for text in compare(less, recording)] == ["not in the graph"]
    assert [text.split(":")[0] for text in compare(more, recording)] == ["not registered"]
