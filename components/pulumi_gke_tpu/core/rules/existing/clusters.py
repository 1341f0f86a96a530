"""Checks of clusters that exist already, and of keys that depend on it: TPU215, and TPU284 to TPU288."""

import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings, security_settings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.keys import alternative_on_existing, field_of, meaning_on_existing
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, is_moved, is_placed, written_keys
from pulumi_gke_tpu.core.rules.engine.rule import Hit, Scope, in_cluster, of_clusters, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, printable, quoted
from pulumi_gke_tpu.core.text.formats.names import is_gke_name, is_location, parse_cluster
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_FORM = "projects/PROJECT/locations/LOCATION/clusters/NAME"
_KUBECTL_CONTEXT = lazy_pattern(r"gke_([a-z0-9:.-]+)_([a-z0-9-]+)_([a-z0-9-]+)\Z", re.ASCII)


def _existing(context: PlanContext) -> Iterator[Cluster]:
    return (cluster for cluster in context.fleet.clusters if cluster.existing)


def _reference(project: str, location: str, name: str) -> str:
    return f"projects/{project}/locations/{location}/clusters/{name}"


@rule(
    "TPU284",
    plans_only="it is about the key `existing`",
    about=of_clusters("existing"),
    title="Malformed reference to an existing cluster",
    why="gke-tpu requires the project, location and name of the cluster before it creates any resource",
    fix=f"Write {_FORM}. `gcloud container clusters list` shows name and location.",
    source="GKE: the ID of a cluster",
    failing="""
mode: standard
existing: gke_acme-ml_us-east5_shared
""",
    edit=("existing: gke_acme-ml_us-east5_shared", "existing: projects/acme-ml/locations/us-east5/clusters/shared"),
)
def malformed_cluster_reference(context: PlanContext) -> Iterable[Hit]:
    for cluster in _existing(context):
        problem = _problem(cluster)
        if problem:
            near = _near(cluster)
            yield Hit.invalid(
                (*cluster.path, "existing"),
                "reference to a cluster",
                cluster.plan.existing,
                problem,
                allowed=(_FORM,),
                fix=SetKeys.of(existing=near),
            )


def _problem(cluster: Cluster) -> str:
    """The problem with a reference; empty if it is complete."""
    found = parse_cluster(cluster.plan.existing or "")
    if found is None or not found.location:
        return f"the form is {_FORM}"
    if not (is_location(found.location)):
        return f"{quoted(found.location)} is neither a region nor a zone"
    return "" if is_gke_name(found.name) else f"{quoted(found.name)} is not a cluster name"


def _near(cluster: Cluster) -> str:
    """The complete reference, if the plan has all parts of it."""
    text = cluster.plan.existing or ""
    context = _KUBECTL_CONTEXT.match(text)
    if context:
        return _reference(*context.groups())
    if is_gke_name(text) and is_placed(cluster):
        return _reference(cluster.project, cluster.location, text)
    return ""


@rule(
    "TPU285",
    plans_only="it is about the key `existing`",
    about=of_clusters("existing", "location", "name", "slices.*.capacity.reservation.project"),
    title="Key contradicts the reference to the existing cluster",
    why="the reference already contains the project, location and name of the cluster, and GKE creates the node "
    "pools only in that cluster",
    fix="Remove `location` and `name`, and set `project` to the project of the cluster.",
    references=["container-api-discovery"],
    basis="format",
    failing=in_cluster("existing: projects/acme-ml/locations/us-east5/clusters/shared", location="us-central1"),
    edit=("location: us-central1", "location: us-east5"),
)
def existing_cluster_mismatch(context: PlanContext) -> Iterable[Hit]:
    """Project numbers are not compared with project IDs. A name or location with the same value is allowed."""
    for cluster in _existing(context):
        found = parse_cluster(cluster.plan.existing or "")
        if found is None or not found.location:
            continue
        if cluster.plan.location != found.location:
            yield Hit(
                (*cluster.path, "location"),
                f"the existing cluster {quoted(found.name)} is in {quoted(found.location)}, not in "
                f"{quoted(cluster.plan.location)}",
                fix=SetKeys.of(location=found.location),
            )
        if cluster.plan.name not in (None, found.name):
            yield Hit(
                (*cluster.path, "name"),
                f"the name of the existing cluster is {quoted(found.name)}, not {quoted(cluster.plan.name)}",
                fix=SetKeys.of(name=found.name),
            )
        if found.project != cluster.project and not found.project.isdecimal():
            yield Hit(
                (*cluster.path, "existing"),
                f"the existing cluster {quoted(found.name)} is in project {quoted(found.project)}; the project of the "
                f"plan is {quoted(cluster.project)}",
                why="a plan has one project, and a node pool is created in the project of its cluster",
            )


@rule(
    "TPU286",
    plans_only="it is about the key `existing`",
    about=("clusters.*.existing", lambda field: meaning_on_existing(field) in ("refused", "only")),
    title="Key does not apply to this kind of cluster",
    why="gke-tpu creates node pools in an existing cluster but does not change the cluster itself. Other keys apply "
    "only to an existing cluster",
    fix="Remove the key. To change an existing cluster, use the program that manages it.",
    source="gke-tpu: effect of each plan key on an existing cluster",
    failing="""
mode: standard
existing: projects/acme-ml/locations/us-east5/clusters/shared
addons: [gcs_fuse]
""",
    edit=("existing: projects/acme-ml/locations/us-east5/clusters/shared", "location: us-east5"),
)
def key_not_for_cluster(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        meaning = "refused" if cluster.existing else "only"
        for path, part in written_keys(cluster.plan, cluster.path, meaning_on_existing, meaning):
            key = str(path[-1])
            if cluster.adopted and key == "version":
                continue
            if cluster.existing:
                yield Hit(path, f"`{key}` does not apply to an existing cluster: {_alternative(part, key)}")
            else:
                yield Hit(
                    path,
                    f"`{key}` applies to an existing cluster only",
                    allowed=("min_version",),
                    fix=SetKeys.of(min_version=cluster.plan.version) if cluster.plan.min_version is None else None,
                )
        if (
            cluster.existing
            and cluster.mode == "autopilot"
            and ClusterSettings(cluster).node_service_account.value == "create"
        ):
            yield Hit(
                (*cluster.path, "node_service_account"),
                "`node_service_account: create` does not apply to an existing Autopilot cluster: its nodes run as the "
                "account of the cluster",
            )


def _alternative(part: PlanModel, key: str) -> str:
    field = field_of(type(part), key)
    return alternative_on_existing(field) if field else ""


@rule(
    "TPU287",
    plans_only="it is about the key `existing`",
    about=of_clusters("existing"),
    title="Two entries under `clusters` refer to the same existing cluster",
    why="node pool names are unique in a cluster, and the two keys could describe the cluster differently",
    fix="Move the slice groups to the other key, and remove this key.",
    references=["container-api-discovery"],
    basis="format",
    failing="""
version: 1
project: acme-ml
clusters:
  train: {mode: standard, existing: projects/acme-ml/locations/us-east5/clusters/shared}
  serve: {mode: standard, existing: projects/acme-ml/locations/us-east5/clusters/shared}
""",
    passing="""
version: 1
project: acme-ml
clusters:
  train: {mode: standard, existing: projects/acme-ml/locations/us-east5/clusters/shared}
  serve: {mode: standard, existing: projects/acme-ml/locations/us-east5/clusters/shared-2}
""",
)
def duplicate_existing_cluster(context: PlanContext) -> Iterable[Hit]:
    clusters = [cluster for cluster in context.fleet.clusters if not (cluster.existing and _problem(cluster))]
    owners: dict[tuple[str, str], Cluster] = {}
    for cluster in sorted(clusters, key=lambda cluster: cluster.existing):
        owner = owners.setdefault((cluster.name, cluster.location), cluster)
        if owner is not cluster and cluster.existing and not is_moved(cluster, owner):
            uses = "also refers to it" if owner.existing else "creates it"
            yield Hit(
                (*cluster.path, "existing"),
                f"existing cluster {quoted(cluster.name)} in {printable(cluster.location)}: cluster "
                f"{quoted(owner.key)} of the plan {uses}",
            )


@warning(
    "TPU288",
    plans_only="it is about the key `existing`",
    about=(*of_clusters("existing", "security"), *of_groups("additional_networks", "network_profile")),
    title="Existing cluster may not support additional network interfaces",
    why="additional network interfaces require Dataplane V2, and `additional_networks` also requires multi-networking. "
    "Both are fixed when the cluster is created",
    fix="Set `security: {dataplane_v2: true}` if the cluster has Dataplane V2. If the cluster "
    "also has multi-networking, accept the warning. `gcloud container clusters describe` shows both settings.",
    references=["cluster-toolkit-node-pool", "accelerator-network-profile-news", "provider-cluster"],
    failing="""
mode: standard
existing: projects/acme-ml/locations/us-east5/clusters/shared
node_service_account: create
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, network_profile: auto}
""",
    edit=("slices:", "security: {dataplane_v2: true}\nslices:"),
)
def unknown_multi_networking(context: PlanContext) -> Iterable[Hit]:
    fact = note_by_id(context.catalog.platform.notes, "network-extra-nics")
    for cluster in _existing(context):
        for key, group in cluster.plan.slices.items() if cluster.mode == "standard" else ():
            path = (*cluster.path, "slices", key)
            if group.additional_networks:
                yield Hit(
                    (*path, "additional_networks"),
                    "the existing cluster must have Dataplane V2 and multi-networking for additional interfaces",
                    fact=fact,
                )
            elif group.network_profile and security_settings(cluster).dataplane_v2.value is None:
                yield Hit(
                    (*path, "network_profile"),
                    "the existing cluster must have Dataplane V2 for additional interfaces",
                    fact=fact,
                )


@frozen
class SlicesArguments:
    """The arguments of ``TpuSlices`` that identify the cluster of the node pools."""

    cluster: object
    location: str
    project: str


@rule(
    "TPU215",
    scope=Scope.COMPONENT,
    title="Cluster is in another location or project",
    why="a node pool is always in the location and project of its cluster",
    fix="Set `location` and `project` to those of the cluster.",
    references=["container-api-discovery"],
    basis="format",
    failing="""
project: acme-ml
cluster: projects/acme-ml/locations/us-central1/clusters/train
location: us-east5
tpu: v6e
topology: 4x4
zone: us-east5-b
""",
    edit=(
        "cluster: projects/acme-ml/locations/us-central1/clusters/train",
        "cluster: projects/acme-ml/locations/us-east5/clusters/train",
    ),
)
def cluster_location_mismatch(arguments: SlicesArguments) -> Iterator[Hit]:
    """Arguments that conflict with the reference to a cluster. Project numbers are not compared with project IDs."""
    text, location, project = arguments.cluster, arguments.location, arguments.project
    found = parse_cluster(text) if isinstance(text, str) else None
    if found is None:
        yield Hit.invalid(
            ("cluster",),
            "cluster ID",
            text,
            "the form is projects/PROJECT/locations/LOCATION/clusters/NAME",
            given=f"cluster: {printable(text)}",
            allowed=("projects/PROJECT/locations/LOCATION/clusters/NAME",),
        )
        return
    if found.location and found.location != location:
        yield Hit(
            ("location",),
            f"cluster {quoted(found.name)} is in {quoted(found.location)}, not in {quoted(location)}",
            given=f"location: {printable(location)}",
            fix=SetKeys.of(location=found.location),
        )
    if found.project and found.project != project and not found.project.isdecimal() and not project.isdecimal():
        yield Hit(
            ("project",),
            f"cluster {quoted(found.name)} is in project {quoted(found.project)}, not in {quoted(project)}",
            given=f"project: {printable(project)}",
            fix=SetKeys.of(project=found.project),
        )
