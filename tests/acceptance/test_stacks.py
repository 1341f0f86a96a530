"""The shipped stacks: what their program registers, and that the embedded preview shows the same of each resource."""

import pathlib
import re
import runpy
from typing import Any

import pytest
import yaml
from support.recording import STACK, UNKNOWN, Recording, Registration, record

from pulumi_gke_tpu import load_plan
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.provider import known_path
from pulumi_gke_tpu.preview import Graph, plain, preview_plan

ROOT = pathlib.Path(__file__).parents[2]
DATA = pathlib.Path(__file__).parent / "data"
STACKS = sorted(path.parent.name for path in (ROOT / "stacks").glob("*/plan.yaml"))
NODE_POOL = "gcp:container/nodePool:NodePool"


def run_stack(stack: str) -> Recording:
    """What the program of ``pulumi up`` asks the engine for."""
    return record(lambda: runpy.run_path(str(ROOT / "stacks" / "__main__.py")), stack=stack)


def preview_stack(stack: str) -> Graph:
    return preview_plan(load_plan(ROOT / "stacks" / stack / "plan.yaml"), name=stack)


def as_sent(value: Any) -> Any:
    """Inputs of the preview with every value known later as the SDK sends it."""
    if isinstance(value, dict):
        return UNKNOWN if "$unknown" in value else {key: as_sent(item) for key, item in value.items()}
    return [as_sent(item) for item in value] if isinstance(value, list) else value


def described(registration: Registration) -> dict[str, Any]:
    """The whole request, in the words of the preview."""
    request = registration.request
    aliases = [
        ", ".join(f"{part}={value}" for part, value in (("name", alias.spec.name), ("type", alias.spec.type)) if value)
        for alias in request.aliases
    ]
    return {
        "type": request.type,
        "name": request.name,
        "parent": "" if STACK in request.parent else request.parent,
        "custom": request.custom,
        "inputs": registration.inputs,
        "protect": registration.protect,
        "delete_before_replace": request.deleteBeforeReplace if request.deleteBeforeReplaceDefined else None,
        "replace_on_changes": list(request.replaceOnChanges),
        "ignore_changes": list(request.ignoreChanges),
        "retain_on_delete": request.retainOnDelete if request.HasField("retainOnDelete") else None,
        "custom_timeouts": registration.timeouts,
        "aliases": aliases,
        "depends_on": sorted(set(request.dependencies)),
        "provider": request.provider,
    }


@pytest.mark.parametrize("stack", STACKS)
def test_the_preview_is_what_the_program_registers(stack: str) -> None:
    recording, graph = run_stack(stack), preview_stack(stack)
    assert len(recording.urns) == len(set(recording.urns))
    assert {item.urn for item in recording} == {resource.urn for resource in graph.resources}
    for registration in recording:
        resource = graph[registration.urn]
        options = resource.options
        assert described(registration) == {
            "type": resource.type,
            "name": resource.name,
            "parent": resource.parent,
            "custom": resource.custom,
            "inputs": as_sent(plain(resource.inputs)),
            "protect": options.protect,
            "delete_before_replace": options.delete_before_replace,
            "replace_on_changes": list(options.replace_on_changes),
            "ignore_changes": list(options.ignore_changes),
            "retain_on_delete": options.retain_on_delete,
            "custom_timeouts": dict(options.custom_timeouts),
            "aliases": list(options.aliases),
            "depends_on": list(options.depends_on),
            "provider": options.provider,
        }, registration.urn


def input_at(inputs: Any, path: str) -> Any:
    """The input at a dotted path; None where there is none."""
    for step in path.split("."):
        inputs = inputs.get(step) if isinstance(inputs, dict) else None
    return inputs


def differences(expected: list[dict[str, Any]], graph: Graph) -> list[str]:
    """What a stack registers otherwise than listed, one line for each."""
    resources = {resource.urn: resource for resource in graph.resources}
    lines = [f"not listed: {urn}" for urn in resources if urn not in {item["urn"] for item in expected}]
    for item in expected:
        resource = resources.get(item["urn"])
        if resource is None:
            lines.append(f"not registered: {item['urn']}")
            continue
        stated = [("type", item["type"], resource.type), ("protect", item.get("protect"), resource.options.protect)]
        inputs = plain(resource.inputs)
        stated += [(path, value, input_at(inputs, path)) for path, value in item.get("inputs", {}).items()]
        lines += [
            f"{resource.name} ({resource.type}) {what}: listed {listed!r}, registered {registered!r}"
            for what, listed, registered in stated
            if listed != registered
        ]
    return lines


@pytest.mark.parametrize("stack", STACKS)
def test_each_stack_registers_what_is_listed(stack: str) -> None:
    """A change of a line here changes resources in the stacks of users."""
    listed = yaml.safe_load((DATA / f"registered-{stack}.yaml").read_text(encoding="utf-8"))
    found = differences(listed, preview_stack(stack))
    assert not found, f"tests/acceptance/data/registered-{stack}.yaml:\n" + "\n".join(found)


def test_a_difference_from_the_list_is_described() -> None:
    graph = preview_stack("dev")
    listed = yaml.safe_load((DATA / "registered-dev.yaml").read_text(encoding="utf-8"))
    cluster = next(item for item in listed if item["type"] == "gcp:container/cluster:Cluster")
    fleet = listed.index(next(item for item in listed if item["type"] == "gke-tpu:index:TpuFleet"))
    cluster["inputs"]["releaseChannel.channel"] = "RAPID"
    cluster["protect"] = True
    listed[fleet]["urn"] += "-other"
    assert differences(listed, graph) == [
        "not listed: urn:pulumi:dev::gke-tpu::gke-tpu:index:TpuFleet::dev",
        "dev (gcp:container/cluster:Cluster) protect: listed True, registered None",
        "dev (gcp:container/cluster:Cluster) releaseChannel.channel: listed 'RAPID', registered 'REGULAR'",
        "not registered: urn:pulumi:dev::gke-tpu::gke-tpu:index:TpuFleet::dev-other",
    ]


# What holds for every resource of every stack


@pytest.fixture(scope="module", params=STACKS)
def recording(request: pytest.FixtureRequest) -> Recording:
    return run_stack(request.param)


def keys_in(value: Any) -> set[str]:
    """Every key anywhere below a value."""
    if isinstance(value, dict):
        return set(value) | {key for item in value.values() for key in keys_in(item)}
    return {key for item in value for key in keys_in(item)} if isinstance(value, list) else set()


def test_nothing_has_a_description(recording: Recording) -> None:
    """Of a network or cluster it would replace everything when it changes."""
    assert [item.urn for item in recording if "description" in keys_in(item.inputs)] == []


def test_every_resource_of_google_cloud_names_its_project(recording: Recording) -> None:
    assert [item.urn for item in recording if item.request.custom and not item.inputs.get("project")] == []


def test_option_paths_are_written_as_the_engine_reads_them(recording: Recording) -> None:
    """Pulumi silently ignores a nested path in snake_case."""
    provider = read_catalog().provider
    for item in recording:
        for path in (*item.replace_on_changes, *item.ignore_changes):
            assert re.fullmatch(r'[A-Za-z]+(\.[A-Za-z]+|\["[^"]+"\])*', path), path
            assert known_path(provider, item.type, path) == path


def test_an_explicit_name_and_a_forced_replacement_need_delete_before_replace(recording: Recording) -> None:
    for item in recording:
        if item.replace_on_changes and "name" not in item.replace_on_changes:
            assert item.inputs["name"]
            assert item.request.deleteBeforeReplace


def created_pools(recording: Recording) -> list[Registration]:
    """The node pools of clusters that the stack creates."""
    return [pool for pool in recording.of_type(NODE_POOL) if "ExistingCluster" not in pool.urn]


def test_pools_of_an_existing_cluster_have_its_name_and_wait_for_nothing() -> None:
    pools = list(run_stack("shared").of_type(NODE_POOL))
    assert [(pool.name, pool.inputs["cluster"], pool.inputs["location"]) for pool in pools] == [
        ("shared/finetune/finetune-0", "platform", "us-east5"),
        ("shared/evaluate/evaluate", "platform", "us-east5"),
    ]
    assert [list(pool.request.dependencies) for pool in pools] == [[], []]


def test_pools_are_bound_to_the_id_of_the_cluster(recording: Recording) -> None:
    for pool in created_pools(recording):
        cluster = pool.request.propertyDependencies["cluster"].urns
        assert (pool.inputs["cluster"], len(cluster)) == (UNKNOWN, 1)
        assert "gcp:container/cluster:Cluster" in cluster[0]
    updated = record(
        lambda: runpy.run_path(str(ROOT / "stacks" / "__main__.py")),
        stack=recording.registrations[0].name,
        known=lambda request: {"email": "nodes@acme-ml.iam.gserviceaccount.com"},
    )
    for pool in created_pools(updated):
        assert pool.inputs["cluster"] == f"{pool.name.split('/')[0]}-id"


def test_every_pool_says_that_it_takes_no_reservation_or_which(recording: Recording) -> None:
    for pool in recording.of_type(NODE_POOL):
        affinity = pool.inputs["nodeConfig"]["reservationAffinity"]
        if affinity["consumeReservationType"] != "NO_RESERVATION":
            assert (affinity["consumeReservationType"], len(affinity["values"])) == ("SPECIFIC_RESERVATION", 1)


def test_every_pool_says_whether_it_boots_securely(recording: Recording) -> None:
    for pool in recording.of_type(NODE_POOL):
        secure = pool.inputs["nodeConfig"]["shieldedInstanceConfig"]["enableSecureBoot"]
        assert secure == pool.name.endswith("/system")


def test_clusters_and_pools_have_time(recording: Recording) -> None:
    for item in recording:
        if item.type in (NODE_POOL, "gcp:container/cluster:Cluster"):
            assert item.timeouts == {"create": "2h", "update": "2h", "delete": "2h"}


def test_the_stacks_are_the_ones_that_are_listed() -> None:
    listed = sorted(path.stem.removeprefix("registered-") for path in DATA.glob("registered-*.yaml"))
    assert (STACKS, listed) == (["dev", "ironwood", "prod", "shared"], STACKS)
