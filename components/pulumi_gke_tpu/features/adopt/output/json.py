"""An adoption, and a comparison with a plan, as JSON for programs."""

from collections.abc import Iterable
from typing import Any, Literal

from pulumi_gke_tpu.core.against_plan.comparison import Drift
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.property_values import ABSENT, PropertyValue
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.output.json import FindingsDocument, findings_document
from pulumi_gke_tpu.core.output.read_sources import Line
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.jsonfile.fields import Count
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.features.adopt.adoption import Adoption, LeftAlone
from pulumi_gke_tpu.features.adopt.comparison import Compared
from pulumi_gke_tpu.features.adopt.objects.check import ComparedObjects
from pulumi_gke_tpu.features.adopt.objects.fleet import ClusterOfObjects

_LONGEST = 1000


@frozen
class AdoptedPoolEntry:
    """A node pool of the plan."""

    name: Line
    cluster: Line
    """The reference of its cluster: projects/PROJECT/locations/LOCATION/clusters/NAME."""
    group: Line
    """The slice group of the plan, as CLUSTER/GROUP, or the CPU pool, as CLUSTER/cpu_pools/POOL."""
    made_by: Line
    """The tool that made it, as far as its marks tell."""
    stays: tuple[Line, ...]
    """The properties that gke-tpu would create differently, and that stay as they are."""
    lost: tuple[Line, ...]
    """The properties that stay as they are, and that a node pool lacks after Pulumi replaced it."""
    notes: tuple[Line, ...]


@frozen
class PoolLeftAloneEntry:
    """A node pool that is not in the plan."""

    name: Line
    cluster: Line | None
    """The reference of its cluster; null if the source does not contain it."""
    reason: Line


@frozen
class AdoptedClusterEntry:
    """A cluster of the plan."""

    name: Line
    key: Line
    """The key of the cluster in the plan."""
    notes: tuple[Line, ...]


@frozen
class ClusterLeftAloneEntry:
    """A cluster that stays with the tool that manages it."""

    name: Line
    reason: Line


@frozen
class PlanEntry:
    """The plan of one project."""

    project: Line
    clusters: tuple[AdoptedClusterEntry, ...]
    clusters_left_alone: tuple[ClusterLeftAloneEntry, ...]
    """Empty with ``--slices-only``."""
    adopted: tuple[AdoptedPoolEntry, ...]
    left_alone: tuple[PoolLeftAloneEntry, ...]
    findings: FindingsDocument
    """The warnings about the plan."""


@frozen
class ObjectEntry:
    """A Kubernetes object."""

    api_version: Line
    kind: Line
    namespace: Line | None
    """Null for an object without one."""
    name: Line


@frozen
class AdoptedObjectEntry(ObjectEntry):
    """A Kubernetes object that the plan renders as it is."""

    item: Line
    """The item of the plan that renders it, such as queues.team."""


@frozen
class ObjectLeftAloneEntry(ObjectEntry):
    """A Kubernetes object that is not in the plan."""

    reason: Line
    """Why, with the first difference if the plan has an item for it."""


@frozen
class ClusterOfObjectsEntry:
    """The Kubernetes objects of one cluster."""

    project: Line | None
    """Null if the cluster of the objects is not known."""
    cluster: Line | None
    """The key of the cluster in the plan; null if it is not known."""
    adopted: tuple[AdoptedObjectEntry, ...]
    left_alone: tuple[ObjectLeftAloneEntry, ...]
    others: dict[str, Count]
    """The number of objects that no plan can be about, by kind."""


@frozen
class AdoptionDocument:
    """What ``gke-tpu adopt --format json`` writes."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    plans: tuple[PlanEntry, ...]
    objects: tuple[ClusterOfObjectsEntry, ...]
    """Of each cluster; empty if no file has Kubernetes objects."""
    files: tuple[Line, ...]
    """The files that were written, relative to the folder."""


@frozen
class PropertyDriftEntry:
    """A property in which the plan would change what exists."""

    property: Line
    """Its path as the source spells it."""
    now: PropertyValue
    """Its value; {"$absent": true} where it has none, also of metadata of nodes, which can be secret."""
    planned: PropertyValue
    """The value of the plan, in the same form."""


@frozen
class ResourceDriftEntry:
    """A cluster or node pool that is not as planned."""

    name: Line
    """As cluster NAME for a cluster."""
    status: Line
    """Its status, if it does not work; otherwise empty."""
    differences: tuple[PropertyDriftEntry, ...]


@frozen
class ObjectDriftEntry:
    """The Kubernetes objects, compared with those of the plan."""

    as_planned: Count
    different: tuple[Line, ...]
    """Each with its first difference."""
    missing: tuple[Line, ...]
    """In the plan only."""
    unassigned: Count
    """Those that can belong to any of several clusters."""


@frozen
class DriftDocument:
    """What ``gke-tpu adopt --check --format json`` writes."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    differs: bool
    """Whether the exit code is 1."""
    clusters_as_planned: tuple[Line, ...]
    """Adopted clusters only."""
    as_planned: tuple[Line, ...]
    """Node pools."""
    different: tuple[ResourceDriftEntry, ...]
    missing: tuple[Line, ...]
    """In the plan only."""
    unplanned: tuple[Line, ...]
    """TPU node pools in clusters of the plan that the plan does not have, although it could."""
    left_alone: tuple[PoolLeftAloneEntry, ...]
    """The other TPU node pools that the plan does not have. They do not count as a difference."""
    objects: ObjectDriftEntry | None
    """Null if no file has Kubernetes objects."""


def adoption_json(
    adoptions: Iterable[Adoption], clusters: Iterable[ClusterOfObjects], files: Iterable[str]
) -> dict[str, Any]:
    """The adoption as data for ``json.dumps``."""
    return to_data(
        AdoptionDocument(
            format=1,
            plans=tuple(map(_plan, adoptions)),
            objects=tuple(map(_objects, clusters)),
            files=tuple(map(_text, files)),
        )
    )


def adoption_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`adoption_json`."""
    return schema_of(
        AdoptionDocument,
        title="Adoption of what exists",
        description="What `gke-tpu adopt SOURCE -o DIR --format json` writes.",
    )


def drift_json(compared: Compared, objects: ComparedObjects | None) -> dict[str, Any]:
    """The comparison as data for ``json.dumps``."""
    return to_data(
        DriftDocument(
            format=1,
            differs=compared.differs or (objects is not None and objects.differs),
            clusters_as_planned=tuple(map(_text, compared.clusters)),
            as_planned=tuple(map(_text, compared.same)),
            different=tuple(map(_different, compared.different)),
            missing=tuple(map(_text, compared.missing)),
            unplanned=tuple(map(_text, compared.unplanned)),
            left_alone=tuple(map(_alone, compared.alone)),
            objects=ObjectDriftEntry(
                objects.same,
                tuple(map(_text, objects.different)),
                tuple(map(_text, objects.missing)),
                objects.unassigned,
            )
            if objects is not None
            else None,
        )
    )


def drift_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`drift_json`."""
    return schema_of(
        DriftDocument,
        title="Comparison of what exists with a plan",
        description="What `gke-tpu adopt SOURCE --check PLAN --format json` writes.",
    )


def _different(item: Drift) -> ResourceDriftEntry:
    return ResourceDriftEntry(
        name=_text(item.name),
        status=_text(item.status),
        differences=tuple(
            PropertyDriftEntry(
                _text(item.live.raw.spelling.written(each.path)),
                *((ABSENT, ABSENT) if item.hides(each) else (each.was, each.will)),
            )
            for each in item.differences
        ),
    )


def _plan(item: Adoption) -> PlanEntry:
    return PlanEntry(
        project=_text(item.project),
        clusters=tuple(
            AdoptedClusterEntry(_text(one.cluster.name), _text(one.key), tuple(map(_text, one.notes)))
            for one in item.clusters
        ),
        clusters_left_alone=tuple(
            ClusterLeftAloneEntry(_text(one.name), _text(one.reason)) for one in item.clusters_alone
        ),
        adopted=tuple(
            AdoptedPoolEntry(
                name=_text(one.pool.name),
                cluster=_text(one.pool.place.reference if one.pool.place is not None else ""),
                group=_text(one.group),
                made_by=_text(one.made_by),
                stays=tuple(map(_text, one.left)),
                lost=tuple(map(_text, one.lost)),
                notes=tuple(map(_text, one.notes)),
            )
            for one in item.pools
        ),
        left_alone=tuple(map(_alone, item.alone)),
        findings=findings_document(item.warnings),
    )


def _alone(item: LeftAlone) -> PoolLeftAloneEntry:
    return PoolLeftAloneEntry(
        name=_text(item.pool.name),
        cluster=_text(item.pool.place.reference) if item.pool.place is not None else None,
        reason=_text(item.reason),
    )


def _objects(item: ClusterOfObjects) -> ClusterOfObjectsEntry:
    return ClusterOfObjectsEntry(
        project=_text(item.project) if item.key else None,
        cluster=_text(item.key) if item.key else None,
        adopted=tuple(AdoptedObjectEntry(**_object(one.object), item=_text(one.item)) for one in item.adopted),
        left_alone=tuple(ObjectLeftAloneEntry(**_object(one.object), reason=_text(one.reason)) for one in item.alone),
        others={_text(kind): number for kind, number in item.others.items()},
    )


def _object(item: KubernetesObject) -> dict[str, Any]:
    return {
        "api_version": _text(item.api_version),
        "kind": _text(item.kind),
        "namespace": _text(item.namespace) or None,
        "name": _text(item.name),
    }


def _text(text: str) -> str:
    return printable(text, _LONGEST)
