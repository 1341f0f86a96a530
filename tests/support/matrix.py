"""Every shape that the catalog lists, in both modes and every way of getting capacity, as plans.

What follows from them is computed here from the catalog's YAML, without the code that reads it.
"""

import functools
import math
import pathlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

CATALOG = pathlib.Path(__file__).parents[2] / "catalog"
GENERATIONS = sorted(path.stem for path in (CATALOG / "generations").glob("*.yaml"))

ASKED: dict[str, dict[str, Any]] = {
    "on_demand": {"count": 2},
    "spot": {"capacity": "spot", "count": {"min": 0, "max": 3}},
    "reservation": {"capacity": {"reservation": "ours"}, "count": 2},
    "flex_start": {"capacity": {"flex_start": {"max_run_duration": "3d"}}, "count": {"min": 0, "max": 2}},
    "queued": {"capacity": "queued"},
}
"""What a cell of the matrix writes in its group, by capacity mode."""
SELECTED: dict[str, dict[str, str]] = {
    "on_demand": {},
    "spot": {"cloud.google.com/gke-spot": "true"},
    "reservation": {
        "cloud.google.com/reservation-name": "ours",
        "cloud.google.com/reservation-affinity": "specific",
    },
    "flex_start": {"cloud.google.com/gke-flex-start": "true"},
    "queued": {},
}
"""The labels with which a workload on Autopilot requests each capacity mode."""
MOST = {"on_demand": 2, "spot": 3, "reservation": 2, "flex_start": 2, "queued": 1}
STATIC = ("on_demand", "reservation")


@functools.cache
def facts(name: str) -> Any:
    """A file of the catalog as plain data."""
    return yaml.safe_load((CATALOG / f"{name}.yaml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Cell:
    """One row of a topology table, in one mode, with one way of getting capacity."""

    generation: str
    mode: str
    capacity: str
    topology: str
    machine_type: str
    ambiguous: bool
    """The topology has another form on hosts of another size."""

    @property
    def key(self) -> str:
        """Key of the group, which is its name in GKE too."""
        return f"s{self.topology}-{self.machine_type.rsplit('-', 1)[1]}-{self.capacity.replace('_', '')}"

    @property
    def machine(self) -> Any:
        return facts(f"generations/{self.generation}")["machine_types"][self.machine_type]

    @property
    def family(self) -> str:
        return str(self.machine["family"])

    @property
    def label(self) -> str:
        return str(facts(f"generations/{self.generation}")["families"][self.family]["accelerator_label"])

    @property
    def zone(self) -> str:
        """The first zone that is documented for the family."""
        return str(facts("zones")["families"][self.family]["documented"]["zones"][0])

    @property
    def chips(self) -> int:
        return math.prod(int(side) for side in self.topology.split("x"))

    @property
    def hosts(self) -> int:
        return self.chips // int(self.machine["chips"])

    @property
    def policy(self) -> bool:
        """Whether its pools are bound to a workload policy."""
        placement = facts(f"generations/{self.generation}")["multi_host_placement"]
        return placement == "workload_policy" and self.hosts > 1

    def group(self) -> dict[str, Any]:
        """The group as a person would write it."""
        group: dict[str, Any] = {"tpu": self.generation, "topology": self.topology, **ASKED[self.capacity]}
        if self.mode == "standard":
            group |= {"zone": self.zone, "node_labels": {"cell": self.key}}
        if is_hidden(self.generation, self.machine_type):
            group["machine_type"] = self.machine_type
        elif self.ambiguous:
            group["chips_per_host"] = self.machine["chips"]
        return group

    def warnings(self) -> set[str]:
        """The rules that warn because of what the catalog says: nothing else may."""
        offering = facts("capacity")["families"][self.family][self.capacity]
        flex, warnings = facts("capacity")["flex_start"], set()
        unsure = offering["offer"] == "unverified" or offering["confidence"] == "low"
        if offering["offer"] == "allowlist":
            warnings.add("TPU302")
        elif unsure or (self.mode, self.capacity) == ("autopilot", "queued"):
            warnings.add("TPU303")
        if is_hidden(self.generation, self.machine_type) and not self.machine.get("in_use"):
            warnings.add("TPU105")
        if self.mode == "standard" and self.zone in facts("zones")["ai_zones"] and self.capacity != "reservation":
            warnings.add("TPU210")
        if self.capacity == "flex_start":
            refused = flex["refused_zones"].get(self.family, {"zones": ()})["zones"]
            listed = flex["zones"].get(self.family, {"zones": ()})["zones"]
            if self.mode == "autopilot":  # GKE chooses among the zones of the region
                region = self.zone.rpartition("-")[0]
                warnings |= set() if any(zone.startswith(f"{region}-") for zone in listed) else {"TPU314"}
            else:
                warnings |= {"TPU313"} if self.zone in refused else set() if self.zone in listed else {"TPU314"}
        return warnings

    def pools(self) -> dict[str, dict[str, Any]]:
        """Pool -> the properties that say how many nodes it has, and how they are placed."""
        if self.hosts == 1:
            size: dict[str, Any] = {"nodeCount": MOST[self.capacity]}
            if self.capacity not in STATIC:
                limits = {"totalMinNodeCount": 0, "totalMaxNodeCount": MOST[self.capacity], "locationPolicy": "ANY"}
                size = {"initialNodeCount": 0, "autoscaling": limits}
            return {self.key: size}
        size = {"nodeCount": self.hosts, "ignoreNodeCountChanges": True}
        if self.capacity not in STATIC:
            limits = {"minNodeCount": 0, "maxNodeCount": self.hosts, "locationPolicy": "ANY"}
            size = {"initialNodeCount": 0, "autoscaling": limits}
        placement = {"type": "" if self.policy else "COMPACT", "tpuTopology": self.topology}
        return {f"{self.key}-{index}": {**size, "placementPolicy": placement} for index in range(MOST[self.capacity])}

    def node_config(self) -> dict[str, Any]:
        """The properties of the nodes that follow from shape and capacity."""
        flex_start = {"flexStart": True, "maxRunDuration": "259200s"} if self.capacity == "flex_start" else {}
        affinity: dict[str, Any] = {"consumeReservationType": "NO_RESERVATION"}
        if self.capacity == "reservation":
            affinity = {
                "consumeReservationType": "SPECIFIC_RESERVATION",
                "key": "compute.googleapis.com/reservation-name",
                "values": ["ours"],
            }
        queued = {"cloud.google.com/gke-queued": "true"} if self.capacity == "queued" else {}
        return {
            "machineType": self.machine_type,
            "spot": self.capacity == "spot",
            "reservationAffinity": affinity,
            "labels": {"cell": self.key, **queued},
            **flex_start,
        }


def is_hidden(generation: str, machine_type: str) -> bool:
    """Whether a machine type is undocumented or legacy, and so available only by its name."""
    content = facts(f"generations/{generation}")
    machine = content["machine_types"][machine_type]
    return not machine.get("documented", True) or bool(content["families"][machine["family"]].get("legacy"))


def cells(generation: str, mode: str) -> Iterator[Cell]:
    """The cells of a generation in a mode. On Autopilot no machine type can be named, so hidden ones drop out."""
    rows = [row for row in facts(f"generations/{generation}")["topologies"]["rows"] if mode in row["modes"]]
    plain = [row["topology"] for row in rows if not is_hidden(generation, row["machine_type"])]
    for row in rows:
        if mode == "autopilot" and is_hidden(generation, row["machine_type"]):
            continue
        family = facts(f"generations/{generation}")["machine_types"][row["machine_type"]]["family"]
        for capacity, offering in facts("capacity")["families"][family].items():
            if offering["offer"] != "no":
                ambiguous = plain.count(row["topology"]) > 1
                yield Cell(generation, mode, capacity, row["topology"], row["machine_type"], ambiguous)


def plan_of(table: list[Cell]) -> dict[str, Any]:
    """A plan with a cluster for each region of the table."""
    clusters: dict[str, Any] = {}
    for cell in table:
        region = cell.zone.rpartition("-")[0]
        network = {"network": "shared", "subnetwork": "shared"}
        cluster = {"mode": cell.mode, "location": region, "network": network, "slices": {}}
        clusters.setdefault(region, cluster)["slices"][cell.key] = cell.group()
    return {"version": 1, "project": "acme-ml", "clusters": clusters}
