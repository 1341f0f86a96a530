"""The files of a first stack: a commented plan, the program that runs it, the Pulumi project."""

import re
from collections.abc import Sequence
from typing import Any

import yaml

from pulumi_gke_tpu.core.plan.cpu_pools import SystemPool
from pulumi_gke_tpu.core.plan.key_table import PlanKey, plan_keys
from pulumi_gke_tpu.core.text.findings.emit import flow
from pulumi_gke_tpu.features.plan.starter import GROUP, Starter

SCHEMA_FILE = "plan.schema.json"
"""The schema for editors, which the first line of a plan names."""

_WINDOW = {"start": "2026-01-03T02:00:00Z", "duration": "6h", "days": ["SAT", "SUN"]}
_EXCLUSION = {"start": "2026-01-03T00:00:00Z", "end": "end_of_support", "scope": "no_minor_upgrades"}
_LAST_DAY = "2026-12-31"

_Options = Sequence[tuple[str, Any]]
"""Keys in the comments of a first plan, each with a valid value. Where a key has several lines, one can be used."""

_FLEX_START = ("capacity", {"flex_start": {"max_run_duration": "3d"}})
_CLUSTER_OPTIONS: _Options = (
    ("release_channel", "regular"),
    ("deletion_protection", True),
    ("network", "create"),
    ("control_plane", {"authorized_networks": {"office": "203.0.113.0/24"}}),
    ("system_pool", {"min_nodes": 1, "max_nodes": 3}),
    ("cpu_pools", {"loaders": {"machine_type": SystemPool.model_fields["machine_type"].default, "max_nodes": 2}}),
    ("addons", ["ray_operator"]),
    ("maintenance", {"window": _WINDOW}),
    ("maintenance", {"window": _WINDOW, "exclusions": {"keep": _EXCLUSION}}),
)
_GROUP_OPTIONS: _Options = (
    ("count", {"min": 0, "max": 2}),
    ("capacity", "spot"),
    ("capacity", {"reservation": "my-reservation"}),
    _FLEX_START,
    ("boot_disk", {"size_gib": 200}),
    ("node_labels", {"team": "research"}),
    ("taints", [{"key": "team", "value": "research", "effect": "NoSchedule"}]),
    ("max_pods_per_node", 64),
    ("upgrade", {"max_surge": 0, "max_unavailable": 1}),
    ("protect", True),
)


def _plan_options(starter: Starter) -> _Options:
    item = f"{starter.cluster}/{GROUP}"
    allowed = {"change": "replace", "of": item, "reason": "larger slices", "until": _LAST_DAY}
    return (
        ("resource_labels", {"team": "research"}),
        ("moved", [{"from": f"{starter.cluster}/old", "to": item}]),
        ("acknowledge", [allowed]),
    )


def _group_options(starter: Starter) -> _Options:
    return [option for option in _GROUP_OPTIONS if starter.flex_start or option != _FLEX_START]


def _cluster_options(starter: Starter) -> _Options:
    name = f"projects/{starter.project}/locations/{starter.location}/clusters/{starter.cluster}"
    return (("existing", name), *_CLUSTER_OPTIONS) if name.isprintable() else _CLUSTER_OPTIONS


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
        *_options(keys, "", _plan_options(starter), starter),
        "",
        "clusters:",
        f"  {flow(starter.cluster)}:",
        *(f"    {key}: {flow(value)}" for key, value in cluster.items() if key != "slices"),
        *_indented("    ", _options(keys, "clusters.*.", _cluster_options(starter), starter)),
        "    slices:",
        f"      {GROUP}:",
        *(f"        {key}: {flow(value)}" for key, value in group.items()),
        *_indented("        ", _options(keys, "clusters.*.slices.*.", _group_options(starter), starter)),
    ]
    return "\n".join(lines) + "\n"


def _options(keys: dict[str, PlanKey], parent: str, options: _Options, starter: Starter) -> list[str]:
    """One comment per option that has an effect in the cluster's mode.

    A further line about the same key is described by its last key below.
    """
    lines: list[str] = []
    described: set[str] = set()
    for name, value in options:
        key = keys[f"{parent}{name}"]
        if starter.mode == "standard" or key.on_autopilot in ("same", "not every value"):
            inner = f"{key.path}.{[*value][-1]}" if name in described else key.path
            lines.append(f"# {name}: {flow(value)}  # {keys[inner].description}")
            described.add(name)
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
