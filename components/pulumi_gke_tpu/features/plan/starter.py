"""A first stack: its plan with comments, the program that runs it, and the Pulumi project."""

import math
import re
from collections.abc import Sequence
from typing import Any

import yaml

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.places import CERTAINTIES, presences
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.catalog.topologies import selectable_rows
from pulumi_gke_tpu.core.estimate import PriceList
from pulumi_gke_tpu.core.fleet import Shape
from pulumi_gke_tpu.core.fleet.shapes.shape import shape_of
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.plan.cpu_pools import SystemPool
from pulumi_gke_tpu.core.plan.key_table import PlanKey, plan_keys
from pulumi_gke_tpu.core.text.findings.emit import flow
from pulumi_gke_tpu.core.text.formats.names import is_ai_zone, is_zone, region_of
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

GROUP = "workers"
WORKLOAD = "hello"
_IMAGE = "python:3.12"
_COMMAND = ["bash", "-c", 'pip install jax[tpu] && python -c "import jax; print(jax.device_count())"']
"""A first job needs no image of one's own: it prints how many chips it can use."""
_CLUSTER = "dev"
_LONGEST_CLUSTER = 30
_NOT_IN_NAMES = lazy_pattern("[^a-z0-9]+")


@frozen
class Starter:
    """The values of a first plan."""

    project: str
    mode: Mode
    location: str
    tpu: str
    topology: str
    chips_per_host: int | None = None
    zone: str | None = None
    cluster: str = _CLUSTER
    flex_start: bool = False
    """Whether the generation is offered with flex-start."""
    workload: bool = False
    """Whether the plan has a first job."""

    def plan(self) -> dict[str, Any]:
        """The plan as plain data."""
        group: dict[str, Any] = {"tpu": self.tpu, "topology": self.topology}
        if self.chips_per_host is not None:
            group["chips_per_host"] = self.chips_per_host
        if self.zone is not None:
            group["zone"] = self.zone
        cluster: dict[str, Any] = {"mode": self.mode, "location": self.location, "slices": {GROUP: group}}
        if self.workload:
            job = {"slices": GROUP, "image": _IMAGE, "command": _COMMAND}
            cluster["kubernetes"] = {"workloads": {WORKLOAD: job}}
        return {"version": 1, "project": self.project, "clusters": {self.cluster: cluster}}


def choose_starter(
    catalog: Catalog,
    *,
    project: str,
    mode: Mode | None = None,
    location: str | None = None,
    tpu: str | None = None,
    topology: str | None = None,
    stack: str | None = None,
    workload: bool = False,
) -> Starter:
    """Fill in missing values. Requested values are not changed; the rules check them later.

    The name of the cluster is the name of the ``stack``, so that plans of several stacks have different clusters.

    The choice is the zone with the best evidence, then the region with most families, then the lowest on-demand price.
    """
    mode = mode or ("standard" if location is not None and is_zone(location) else "autopilot")
    # If no slice has all requested values, requests are dropped one after the other to fill in the rest.
    wishes = ((tpu, topology, location), (tpu, topology, None), (tpu, None, None), (None, None, None))
    found = (choice for wish in wishes for choice in [_best(catalog, mode, *wish)] if choice is not None)
    best = next(found, None)
    place = best.zone if best is not None else ""
    location = location or region_of(place)
    chosen = tpu or (best.tpu if best else "")
    return Starter(
        project=project,
        mode=mode,
        location=location,
        tpu=chosen,
        topology=topology or (best.topology if best else ""),
        chips_per_host=best.chips_per_host if best is not None and topology in (None, best.topology) else None,
        zone=place if mode == "standard" and not is_zone(location) and region_of(place) == location else None,
        cluster=cluster_called(stack) if stack is not None else _CLUSTER,
        flex_start=_has_flex_start(catalog, mode, chosen, topology or (best.topology if best else None)),
        workload=workload,
    )


def _has_flex_start(catalog: Catalog, mode: Mode, tpu: str, topology: str | None) -> bool:
    shape = _shape(catalog, tpu, mode, topology)
    known = catalog.capacity.families.get(shape.family, {}) if shape else {}
    return "flex_start" in known and known["flex_start"].offer == "yes"


def cluster_called(stack: str) -> str:
    """The name of a stack as a valid cluster name: lower-case letters, digits and hyphens, a letter first."""
    name = _NOT_IN_NAMES.sub("-", stack.lower()).strip("-")
    name = name if name[:1].isalpha() else f"stack-{name}"
    return name[:_LONGEST_CLUSTER].rstrip("-")


@frozen
class _Choice:
    """A slice in a zone that a source lists for it."""

    tpu: str
    topology: str
    chips_per_host: int | None
    """Set only if the topology has several forms."""
    zone: str


def _best(catalog: Catalog, mode: Mode, tpu: str | None, topology: str | None, location: str | None) -> _Choice | None:
    """The best choice with these values; None if no slice has them."""
    prices = PriceList(catalog.prices)
    ranked = []
    for name in catalog.generation_names if tpu is None else [tpu]:
        shape = _shape(catalog, name, mode, topology)
        known = catalog.zones.families.get(shape.family) if shape else None
        if shape is None or known is None:
            continue
        size = shape.chips_per_host if _several_forms(catalog, shape, mode) else None
        for item in presences(shape.family, known, multi_host=shape.multi_host):
            region = region_of(item.zone)
            if location in (None, item.zone, region):
                price = prices.find(shape.family, region, "on_demand")
                rank = (
                    CERTAINTIES.index(item.certainty),
                    is_ai_zone(item.zone),
                    -_families(catalog, region),
                    price.usd if price is not None and price.usd is not None else math.inf,
                    name,
                    item.zone,
                )
                ranked.append((rank, _Choice(name, str(shape.topology), size, item.zone)))
    return min(ranked, key=lambda entry: entry[0])[1] if ranked else None


def _families(catalog: Catalog, region: str) -> int:
    """The number of documented machine families in a region."""
    lists = (zones.documented.zones for zones in catalog.zones.families.values())
    return sum(any(region_of(zone) == region for zone in zones) for zones in lists)


def _shape(catalog: Catalog, tpu: str, mode: Mode, topology: str | None) -> Shape | None:
    """The shape of a topology with most chips per host; without one, the smallest single host with several chips."""
    if tpu not in catalog.generation_names:
        return None
    generation = catalog.generation(tpu)
    rows = selectable_rows(generation, mode)
    if topology is None:
        single = [row for row in rows if row.hosts == "single"]
        several = [row for row in single if Topology.parse(row.topology).chips > 1]
        topology = next((row.topology for row in (*several, *single, *rows)), "")
    sizes = sorted({machine.chips for machine in generation.machine_types.values()}, reverse=True)
    for size in (None, *sizes):
        found = shape_of(catalog, mode, SliceGroupSpec(tpu=tpu, topology=topology, chips_per_host=size))
        if isinstance(found, Shape):
            return found
    return None


def _several_forms(catalog: Catalog, shape: Shape, mode: Mode) -> bool:
    rows = selectable_rows(catalog.generation(shape.generation), mode)
    return sum(row.topology == str(shape.topology) for row in rows) > 1


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
_WORKLOAD_OPTIONS: _Options = (
    ("args", ["--verbose"]),
    ("env", {"LOG_LEVEL": "info"}),
    ("cpu", "8"),
    ("memory", "16Gi"),
    ("max_restarts", 3),
    ("grace_period", "5m"),
    ("service_account", "trainer"),
    ("volumes", {"scratch": {"mount": "/scratch", "empty_dir": True}}),
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
        *([f"#   gke-tpu manifests {file}"] if starter.workload else []),
        "# Lines that start with # are options: remove the # to use one. `gke-tpu explain KEY` explains a key.",
        *(f"{key}: {flow(plan[key])}" for key in ("version", "project")),
        *_options(keys, "", _plan_options(starter), starter),
        "",
        "clusters:",
        f"  {flow(starter.cluster)}:",
        *(f"    {key}: {flow(value)}" for key, value in cluster.items() if key not in ("slices", "kubernetes")),
        *_indented("    ", _options(keys, "clusters.*.", _cluster_options(starter), starter)),
        "    slices:",
        f"      {GROUP}:",
        *(f"        {key}: {flow(value)}" for key, value in group.items()),
        *_indented("        ", _options(keys, "clusters.*.slices.*.", _group_options(starter), starter)),
        *_workload_lines(keys, starter),
    ]
    return "\n".join(lines) + "\n"


def _workload_lines(keys: dict[str, PlanKey], starter: Starter) -> list[str]:
    """The first job with its options; none without it."""
    if not starter.workload:
        return []
    job = starter.plan()["clusters"][starter.cluster]["kubernetes"]["workloads"][WORKLOAD]
    return [
        "    kubernetes:",
        "      workloads:",
        f"        {WORKLOAD}:",
        *(f"          {key}: {flow(value)}" for key, value in job.items()),
        *_indented("          ", _options(keys, "clusters.*.kubernetes.workloads.*.", _WORKLOAD_OPTIONS, starter)),
    ]


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
