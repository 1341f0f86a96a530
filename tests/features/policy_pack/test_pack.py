"""The pack as a whole: its policies, their levels, its configuration, and what it must never flag."""

import importlib.util
import itertools
import json
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from support.checking import validate
from support.each import each
from support.pack_in_process import LEVELS, NODE_POOL, UNKNOWN, Made, Pack, Violation, told
from support.sampling import sample

from pulumi_gke_tpu import __version__, load_plan
from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.catalog.topologies import selectable_rows
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import all_rules
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features import policy_pack
from pulumi_gke_tpu.features.policy_pack.pack import ENTRIES
from pulumi_gke_tpu.preview import Graph, plain, preview_plan

ROOT = pathlib.Path(__file__).parents[3]
CATALOG = read_catalog()
STACKS = sorted(path.parent.name for path in (ROOT / "stacks").glob("*/plan.yaml"))

BAD = {
    "nodeConfig": {"machineType": "tpu7x-standard-4t"},
    "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x2x1"},
    "nodeLocations": ["us-central1-c"],
}
"""Breaks TPU163 for sure, and TPU365, which is advice."""


def levels(violations: list[Violation]) -> dict[str, str]:
    return {violation.policy: violation.level for violation in violations}


def test_policies_have_names_and_levels_of_their_own() -> None:
    policies = Pack().info().policies
    names = [policy.name for policy in policies]
    assert len(set(names)) == len(names)
    assert {name for name in names if "doubts" not in name} == {
        f"{rule}{'-stack' if entry.stack else ''}"
        for entry in ENTRIES
        if "doubts" not in entry.name
        for rule in entry.rules
    }


@each("policy", Pack().info().policies, lambda policy: policy.name)
def test_only_errors_are_mandatory(policy: Any) -> None:
    rule = {rule.id: rule for rule in all_rules()}.get(policy.name.removesuffix("-stack"))
    mandatory = LEVELS[policy.enforcementLevel] == "mandatory"
    assert not mandatory or (rule is not None and rule.severity is Severity.ERROR)
    assert rule is None or policy.description == rule.title


def test_what_is_certain_is_mandatory_and_the_rest_is_advice() -> None:
    assert levels(Pack().resource(Made(NODE_POOL, BAD))) == {"TPU163": "mandatory", "TPU365": "advisory"}


def test_a_weak_fact_makes_a_doubt_and_no_error() -> None:
    pool = {
        **BAD,
        "placementPolicy": {},
        "nodeConfig": {"machineType": "ct3-hightpu-4t"},
        "nodeLocations": ["us-west1-a"],
    }
    assert CATALOG.zones.families["ct3"].documented.confidence != "high"
    violations = Pack().resource(Made(NODE_POOL, pool))
    assert levels(violations) == {"TPU-doubts": "advisory", "TPU365": "advisory"}
    assert "TPU207 nodeLocations: v3 (ct3) is not available in zone us-west1-a" in violations[-1].message


def test_what_sources_disagree_on_is_a_doubt_and_no_error() -> None:
    pool = {
        "nodeConfig": {"machineType": "ct6e-standard-4t"},
        "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x2"},
        "nodeLocations": ["us-east1-d"],
    }
    violations = Pack().resource(Made(NODE_POOL, pool))
    assert levels(violations) == {"TPU-doubts": "advisory", "TPU365": "advisory"}
    assert "Sources disagree: The error was observed for tpu7x 2x2x1" in violations[-1].message


def test_resources_can_be_left_out_by_name() -> None:
    pack = Pack({"TPU163": {"except": ["old-pool"]}})
    assert told(pack.resource(Made(NODE_POOL, BAD, name="old-pool"))) == {"TPU365"}
    assert told(pack.resource(Made(NODE_POOL, BAD, name="new-pool"))) == {"TPU163", "TPU365"}


def test_a_violation_has_message_property_reason_and_source() -> None:
    message = next(item.message for item in Pack().resource(Made(NODE_POOL, BAD)) if item.policy == "TPU163")
    title, first, *rest = message.splitlines()
    assert title == "Placement topology is not supported with single-host node pools"
    rule, place, said = first.split(" ", 2)
    assert (rule, place) == ("TPU163", "placementPolicy.tpuTopology:")
    assert said == "2x2x1 is a single host (tpu7x-standard-4t), and single-host node pools have no placement topology"
    assert [line.split()[0] for line in rest] == ["fix:", "why:", "source:", "see:"]


def test_the_folder_has_what_the_engine_needs() -> None:
    folder = pathlib.Path(policy_pack.__path__[0])
    project = yaml.safe_load((folder / "PulumiPolicy.yaml").read_text())
    assert (project["name"], project["runtime"]) == ("gke-tpu", "python")
    assert project["version"] == __version__
    assert importlib.util.find_spec("pulumi_gke_tpu.features.policy_pack.__main__") is not None


# What our own components make


def as_sent(value: Any) -> Any:
    if isinstance(value, dict):
        return UNKNOWN if "$unknown" in value else {key: as_sent(item) for key, item in value.items()}
    return [as_sent(item) for item in value] if isinstance(value, list) else value


def origins(value: Any) -> Iterator[str]:
    """The URNs that a value comes from."""
    if isinstance(value, dict):
        yield from value.get("$unknown", ())
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from origins(item)


def made(graph: Graph) -> list[Made]:
    resources = []
    for resource in graph.resources:
        inputs = json.loads(json.dumps(plain(resource.inputs)))
        options = {
            "protect": bool(resource.options.protect),
            "ignoreChanges": list(resource.options.ignore_changes),
            "deleteBeforeReplace": resource.options.delete_before_replace,
        }
        refers_to = {name: tuple(origins(value)) for name, value in inputs.items()}
        resources.append(
            Made(resource.type, as_sent(inputs), resource.name, options, None, refers_to, full_urn=resource.urn)
        )
    return resources


@pytest.mark.parametrize("stack", STACKS)
def test_the_shipped_stacks_break_nothing(stack: str) -> None:
    pack = Pack()
    resources = made(preview_plan(load_plan(ROOT / "stacks" / stack / "plan.yaml"), name=stack))
    assert [violation for resource in resources for violation in pack.resource(resource)] == []
    assert pack.stack(*resources) == []


MODES = ("reservation", "on_demand", "spot", "flex_start", "queued")


def groups(catalog: Catalog, generation: str, region: str, mode: str) -> dict[str, Any]:
    """Every row of a generation with capacity of this mode, in one zone of a region, as far as it is offered."""
    facts = catalog.generation(generation)
    found: dict[str, Any] = {}
    for row in selectable_rows(facts, "standard"):
        machine = facts.machine_types[row.machine_type]
        zones = [
            zone for zone in catalog.zones.families[machine.family].documented.zones if zone.startswith(f"{region}-")
        ]
        if zones and catalog.capacity.families[machine.family][mode].offer != "no":
            found[f"g{len(found)}"] = {
                "tpu": generation,
                "topology": row.topology,
                "chips_per_host": machine.chips,
                "zone": zones[0],
                "capacity": {"reservation": "ours"} if mode == "reservation" else mode,
            }
    return found


@pytest.mark.parametrize(
    ("generation", "mode"), sample(itertools.product(CATALOG.generation_names, MODES), 8, lambda case: case[0])
)
def test_the_matrix_breaks_no_more_than_its_plans(generation: str, mode: str) -> None:
    families = CATALOG.generation(generation).families
    regions = {
        zone.rsplit("-", 1)[0] for family in families for zone in CATALOG.zones.families[family].documented.zones
    }
    region = min(regions)
    slices = dict(sample(groups(CATALOG, generation, region, mode).items(), 4, of=f"{generation} {mode}"))
    body = {"mode": "standard", "location": region, "slices": slices}
    args: Any = {"version": 1, "project": "acme-ml", "clusters": {"train": body}}
    content = parse_plan(args).content
    assert content is not None
    warned = {finding.rule for finding in validate(content, CATALOG)}
    pack, resources = Pack(), made(preview_plan(args, name="matrix"))
    assert sum(resource.type == NODE_POOL for resource in resources) >= len(slices)
    violations = [violation for resource in resources for violation in pack.resource(resource)] + pack.stack(*resources)
    assert [violation for violation in violations if violation.level == "mandatory"] == []
    assert {violation.message.splitlines()[1].split()[0] for violation in violations} <= warned
