"""Config Connector: clusters and node pools as ContainerCluster and ContainerNodePool."""

from collections.abc import Iterator, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.resources.model import RESERVATION, RawResource, SourceFormat, Unread
from pulumi_gke_tpu.core.resources.object_sources.described import (
    Described,
    fitted,
    known,
    name_of,
    nearest,
    raw_resource,
    references,
    spelling_of,
)
from pulumi_gke_tpu.core.resources.object_sources.names import ObjectNames, object_names
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.formats.property_path import format_steps

GROUPS = frozenset({"container.cnrm.cloud.google.com", "compute.cnrm.cloud.google.com"})
_TYPES = {
    "ContainerCluster": CLUSTER,
    "ContainerNodePool": NODE_POOL,
    "ComputeResourcePolicy": RESOURCE_POLICY,
    "ComputeReservation": RESERVATION,
}
_TARGETS = {"cluster": "ContainerCluster", "policyName": "ComputeResourcePolicy"}
_PROJECT = "cnrm.cloud.google.com/project-id"
_WITHOUT_DEFAULT_POOL = "cnrm.cloud.google.com/remove-default-node-pool"


def unread(found: Sequence[Described], catalog: Catalog) -> Iterator[Unread]:
    """The properties of an object that no such object has: the API server rejects them, or leaves them out."""
    facts = catalog.other_tools.config_connector
    for described in found:
        owner = described.object
        for path in facts.lacks if owner.kind in _TYPES else ():
            steps = ("spec", *path.split("."))
            if owner.value(*steps) is not None:
                place = owner.file.position((*owner.base, *steps), key=True)
                reason = f"{owner.kind} had no such field on {facts.as_of}"
                yield Unread(place.file, reason, f"{described.address}: {format_steps(steps)}", place.line)


def read(found: Sequence[Described], catalog: Catalog) -> Iterator[RawResource]:
    """The resources that some objects of these groups describe."""
    facts = catalog.other_tools.config_connector
    by_name: dict[tuple[str, str], list[Described]] = {}
    for each in found:
        by_name.setdefault((each.object.kind, each.object.name), []).append(each)
    for described in found:
        resource_type = _TYPES.get(described.object.kind)
        if resource_type is not None:
            renamed, instead = tuple(facts.references.items()), tuple(facts.instead.items())
            names = object_names(catalog, resource_type, (), renamed, instead)
            yield _ConnectedObjects(names, by_name).resource(described, resource_type)


class _ConnectedObjects:
    def __init__(self, names: ObjectNames, by_name: dict[tuple[str, str], list[Described]]) -> None:
        self.names = names
        self.by_name = by_name
        self.targets: dict[str, Described | None] = {}

    def resource(self, described: Described, resource_type: str) -> RawResource:
        owner = described.object
        values = fitted(self.names.properties(self._resolved(known(owner.spec), described)), self.names.types)
        cluster = self.targets.get("cluster")
        annotations = owner.annotations if cluster is None else cluster.object.annotations | owner.annotations
        if isinstance(annotations.get(_PROJECT), str):
            values["project"] = known(annotations[_PROJECT])
        if owner.annotations.get(_WITHOUT_DEFAULT_POOL) == "true":
            values["removeDefaultNodePool"] = True
        values["name"] = name_of(described, external=values.pop("resourceID", None))
        refers_to = references(
            (("placementPolicy" if name == "policyName" else name, target) for name, target in self.targets.items()),
            owner.file.name,
        )
        spelling = spelling_of(self.names, owner.spec, ("spec",))
        return raw_resource(
            described, SourceFormat.CONFIG_CONNECTOR, resource_type, values, spelling=spelling, refers_to=refers_to
        )

    def _resolved(self, value: Any, described: Described) -> Any:
        """Data with the values of references instead of them."""
        if isinstance(value, list):
            return [self._resolved(item, described) for item in value]
        if not isinstance(value, dict):
            return value
        found = {}
        for key, item in value.items():
            referred = self.names.referred(key) if isinstance(item, dict) else ""
            if referred:
                found[referred] = self._referred(referred, item, described)
            else:
                found[key] = self._resolved(item, described)
        return found

    def _referred(self, name: str, reference: dict[str, Any], described: Described) -> Any:
        """The value of a reference: that outside, or the name of a cluster or policy; other values are unknown."""
        outside, inside = reference.get("external"), reference.get("name")
        if isinstance(outside, str) and outside:
            return outside.rpartition("/")[2] if name == "policyName" else outside
        kind = _TARGETS.get(name)
        if kind is None or not isinstance(inside, str):
            return UNKNOWN
        target = self.targets[name] = nearest(self.by_name.get((kind, inside), ()), described)
        return inside if target is None else name_of(target, external=mapping(target.object.spec).get("resourceID"))
