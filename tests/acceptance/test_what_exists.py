"""Every command shows of what exists what it shows of the plan that made it.

The files are those that gcloud, Terraform and Pulumi write of the shipped stacks after the first update. Each
difference has a reason below.
"""

import functools
import json
import pathlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from support.plan_corpus import sources
from support.shipped import STACKS as SHIPPED
from support.terraform.recordings import RECORDINGS
from support.told import told

TOOLS = ("gcloud", "Terraform", "Pulumi")
STACKS = {item.name: item for item in sources("stacks") if item.name.startswith("stack ")}
TODAY = "2026-11-29"
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "preview": (),
    "cost": (),
    "quota": (),
    "calendar": ("--today", TODAY),
}
STATED = "The source states what the plan leaves to defaults, and repeats it in alternatives."
MADE = "The plan makes networks, accounts and workload policies; the source has node pools that refer to them."
EXISTING = "The source has the node pools of an existing cluster, but not the cluster itself."
NAMED = "The source has the name of the existing cluster, not the key of the plan."
ADOPTED = "What exists may have a maintenance window that the source does not state."
PROTECTED = "Pulumi protects what a plan has; no source of what exists has that option."
SYSTEM = "What exists has the system pool as one of its CPU pools."
ON_REQUEST = "GKE makes node pools of an Autopilot cluster when Pods need them; there are none yet."
REASONS: Mapping[str, str] = {
    r".*\.(plan|alternatives|not_offered)\[\d+\]\.group\..*|.*\.settings\.boot_disk": STATED,
    r"\.resource_counts\..*|.*\.workload_policy": MADE,
    r"\.clusters\[0\]\.(adopted|settings\.private_nodes)": STATED,
    r"\.clusters\[0\]\.(cpu_pools|system_pool|system)\b.*": SYSTEM,
    r"\.clusters\[0\]\.slices\[\d+\]\.protect": PROTECTED,
    r"\.support\[0\]\.upgrades_at_any_time": ADOPTED,
}
"""Path -> why what exists is shown in another way."""
OF_EXISTING: Mapping[str, str] = {
    r".*\.(key|path|group)|\.(quota|requests)\[\d+\]\.groups\[\d+\]|.*\.cluster": NAMED,
    r"\.(events|support)\[0\]\..*|\.clusters\[0\]\.release_channel|\.notes\[\d+\]": EXISTING,
}
"""The same of the stack whose cluster exists already."""
STATES_ON_REQUEST = "stack dev"


@functools.cache
def files_of(name: str) -> Mapping[str, bytes]:
    return told(STACKS[name])


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, f"{path}[{index}]")
    else:
        yield path, value


def shown(gke_tpu: Any, command: str, file: pathlib.Path) -> dict[str, Any]:
    """What a command shows in JSON. A group of what exists has the name of its first node pool."""
    run = gke_tpu(command, file, "--format", "json", *COMMANDS[command])
    assert run.code == 0, run.err
    data = json.loads(re.sub(r"-0\b", "", run.out.replace(str(file), "FILE")))
    data.get("autoprovisioning", []).sort(key=lambda item: item["generation"])  # a mapping of the plan
    return dict(leaves(data))


def differing(gke_tpu: Any, command: str, name: str, tool: str, tmp_path: pathlib.Path) -> dict[str, tuple[Any, Any]]:
    source = tmp_path / "source.json"
    source.write_bytes(files_of(name)[tool])
    plan = SHIPPED / name.removeprefix("stack ") / "plan.yaml"
    one, two = (shown(gke_tpu, command, file) for file in (plan, source))
    return {path: (one.get(path), two.get(path)) for path in {**one, **two} if one.get(path) != two.get(path)}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("name", [name for name in STACKS if name != STATES_ON_REQUEST])
def test_what_exists_is_shown_as_its_plan(
    name: str, tool: str, command: str, gke_tpu: Any, tmp_path: pathlib.Path
) -> None:
    reasons = {**REASONS, **(OF_EXISTING if name == "stack shared" else {})}
    found = differing(gke_tpu, command, name, tool, tmp_path)
    unexplained = {
        path: values for path, values in found.items() if not any(re.fullmatch(each, path) for each in reasons)
    }
    assert unexplained == {}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("tool", TOOLS)
def test_an_autopilot_cluster_without_node_pools_has_no_slices(
    tool: str, command: str, gke_tpu: Any, tmp_path: pathlib.Path
) -> None:
    found = differing(gke_tpu, command, STATES_ON_REQUEST, tool, tmp_path)
    assert all(after is None or not str(path).startswith(".clusters[0].slices") for path, (_, after) in found.items())


@pytest.mark.parametrize("command", COMMANDS)
def test_a_network_of_another_project_belongs_to_the_plan_of_its_clusters(
    command: str, gke_tpu: Any, tmp_path: pathlib.Path
) -> None:
    """With Shared VPC, network and subnetwork are in the state of the clusters, and belong to the host project."""
    state = json.loads((RECORDINGS / "everything" / "state.json").read_text(encoding="utf-8"))
    network = [
        each
        for each in state["values"]["root_module"]["resources"]
        if each["type"] in ("google_compute_network", "google_compute_subnetwork")
    ]
    for each in network:
        each["values"]["project"] = "host-project"
    file = tmp_path / "state.json"
    file.write_text(json.dumps(state), encoding="utf-8")
    assert network
    run = gke_tpu(command, file, "--format", "json", *COMMANDS[command])
    assert run.code in (0, 1), run.err
    assert json.loads(run.out)
