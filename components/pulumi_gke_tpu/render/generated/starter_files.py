"""The files of a first stack: a commented plan, the program that runs it, the Pulumi project."""

import re
from typing import Any

import yaml

from pulumi_gke_tpu.explain.key_table import PlanKey, plan_keys
from pulumi_gke_tpu.explain.starter import GROUP, Starter
from pulumi_gke_tpu.yamlfile.emit import flow

SCHEMA_FILE = "plan.schema.json"
"""The schema for editors, which the first line of a plan names."""

_PLAN_OPTIONS: dict[str, Any] = {"resource_labels": {"team": "research"}}
_CLUSTER_OPTIONS: dict[str, Any] = {
    "release_channel": "regular",
    "deletion_protection": True,
    "network": "create",
    "control_plane": {"authorized_networks": {"office": "203.0.113.0/24"}},
    "system_pool": {"min_nodes": 1, "max_nodes": 3},
    "addons": ["ray_operator"],
    "maintenance": {"window": {"start": "2026-01-03T02:00:00Z", "duration": "6h", "days": ["SAT", "SUN"]}},
}
_GROUP_OPTIONS: dict[str, Any] = {
    "count": {"min": 0, "max": 2},
    "capacity": "spot",
    "boot_disk": {"size_gib": 200},
    "node_labels": {"team": "research"},
    "max_pods_per_node": 64,
    "upgrade": {"max_surge": 0, "max_unavailable": 1},
    "protect": True,
}
"""Keys in the comments of a first plan, each with a valid value."""


def plan_text(starter: Starter, file: str) -> str:
    """The plan, with further keys as comments; ``file`` is its name in commands."""
    keys = {key.path: key for key in plan_keys()}
    plan = starter.plan()
    cluster = plan["clusters"][starter.cluster]
    group = cluster["slices"][GROUP]
    lines = [
        f"# yaml-language-server: $schema={'../' * file.count('/')}{SCHEMA_FILE}",
        "# TPU slices of one Google Cloud project.",
        f"#   gke-tpu validate {file}",
        f"#   gke-tpu preview {file}",
        f"#   gke-tpu explain {file} {starter.cluster}/{GROUP}",
        "# Lines that start with # are options: remove the # to use one. `gke-tpu explain KEY` explains a key.",
        *(f"{key}: {flow(plan[key])}" for key in ("version", "project")),
        *_options(keys, "", _PLAN_OPTIONS, starter),
        "",
        "clusters:",
        f"  {flow(starter.cluster)}:",
        *(f"    {key}: {flow(value)}" for key, value in cluster.items() if key != "slices"),
        *_indented("    ", _options(keys, "clusters.*.", _CLUSTER_OPTIONS, starter)),
        "    slices:",
        f"      {GROUP}:",
        *(f"        {key}: {flow(value)}" for key, value in group.items()),
        *_indented("        ", _options(keys, "clusters.*.slices.*.", _GROUP_OPTIONS, starter)),
    ]
    return "\n".join(lines) + "\n"


def _options(keys: dict[str, PlanKey], parent: str, options: dict[str, Any], starter: Starter) -> list[str]:
    """One comment per key that has an effect in the cluster's mode."""
    lines = []
    for name, value in options.items():
        key = keys[f"{parent}{name}"]
        if starter.mode == "standard" or key.on_autopilot in ("same", "not every value"):
            lines.append(f"# {name}: {flow(value)}  # {key.description}")
    return lines


def _indented(indent: str, lines: list[str]) -> list[str]:
    return [f"{indent}{line}" for line in lines]


def program_text(stack: str | None) -> str:
    """The Python program that Pulumi runs: one plan, or with ``stack`` the plan in the folder of the stack."""
    plan = (
        'pathlib.Path(__file__).parent / stack / "plan.yaml"'
        if stack
        else 'pathlib.Path(__file__).parent / "plan.yaml"'
    )
    return f'''"""The clusters and TPU slices of a plan."""

import datetime
import pathlib

import pulumi

from pulumi_gke_tpu import TpuFleet, load_plan

stack = pulumi.get_stack()
today = datetime.datetime.now(datetime.timezone.utc).date()
plan = load_plan({plan}, today=today)

fleet = TpuFleet(stack, plan)

pulumi.export("kubeconfig_commands", fleet.kubeconfig_commands)
'''


def project_text(project: str) -> str:
    """``Pulumi.yaml``. Pulumi allows letters, digits and ``-_.`` in the name of a project."""
    name = re.sub(r"[^A-Za-z0-9._-]", "-", project)
    return yaml.safe_dump(
        {"name": f"{name}-tpu", "description": "Cloud TPU slices on GKE", "runtime": {"name": "python"}},
        sort_keys=False,
    )
