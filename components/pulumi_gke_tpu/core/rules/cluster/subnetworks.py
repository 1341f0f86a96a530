"""Checks of existing networks and subnetworks of clusters and hosts: TPU216 to TPU219, TPU229, TPU269; IPv6: TPU236."""

import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.spelling import camel_case
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.plan.networks import ExistingNetwork
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, is_placed, plan_groups
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Replace, SetKeys, quoted
from pulumi_gke_tpu.core.text.formats.names import NetworkReference, address_range, parse_network, parse_subnetwork
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_SHARED_VPC = "shared-vpc-ranges"
_REGION = "subnetwork-region"
_PROJECT = "subnetwork-project"
_IPV6 = "private-ipv6-access"
_WITH_IPV6 = ("PRIVATE_IPV6_GOOGLE_ACCESS_TO_GOOGLE", "PRIVATE_IPV6_GOOGLE_ACCESS_BIDIRECTIONAL")
_TWO_RANGES = "pod-and-service-ranges"

_NAME = lazy_pattern(r"[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?\Z", re.ASCII)


def _subnetwork(text: object) -> NetworkReference | None:
    """None for a value that is not known yet, or that has no form that the provider supports."""
    return parse_subnetwork(text) if isinstance(text, str) else None


def _network(text: object) -> NetworkReference | None:
    return parse_network(text) if isinstance(text, str) else None


def _existing(context: PlanContext) -> Iterator[tuple[Cluster, ExistingNetwork, Path]]:
    for cluster in context.fleet.clusters:
        if cluster.plan.network is not None and cluster.plan.network.existing is not None:
            yield cluster, cluster.plan.network.existing, (*cluster.path, "network", "existing")


def _pairs(context: PlanContext) -> Iterator[tuple[Cluster, object, object, Path]]:
    """Every network with its subnetwork and their path: of clusters, and of additional interfaces of hosts."""
    for cluster, existing, path in _existing(context):
        yield cluster, existing.network, existing.subnetwork, path
    for cluster, path, group in plan_groups(context):
        for index, item in enumerate(group.additional_networks):
            yield cluster, item.network, item.subnetwork, (*path, "additional_networks", index)


def _differ(one: str | None, other: str | None) -> bool:
    """Whether two projects are certainly different: a project number can belong to any project ID."""
    if one is None or other is None or one.isdecimal() or other.isdecimal():
        return False
    return one != other


@rule(
    "TPU216",
    about=of_clusters("network.existing.subnetwork"),
    title="Subnetwork is outside the region of the cluster",
    why="a subnetwork belongs to one region, and nodes get their addresses from a subnetwork in their own region",
    fix="Use a subnetwork in the region of the cluster.",
    references=["gke-alias-ips", "gke-vpc-native-how-to"],
    note=_REGION,
    failing=in_cluster("network: {network: shared, subnetwork: projects/acme-ml/regions/us-central1/subnetworks/tpu}"),
    edit=(
        "subnetwork: projects/acme-ml/regions/us-central1/subnetworks/tpu",
        "subnetwork: projects/acme-ml/regions/us-east5/subnetworks/tpu",
    ),
)
def subnetwork_outside_region(context: PlanContext) -> Iterable[Hit]:
    for cluster, _, text, path in _pairs(context):
        found = _subnetwork(text)
        if found is not None and found.region and is_placed(cluster) and found.region != cluster.region:
            yield Hit(
                (*path, "subnetwork"),
                f"subnetwork {quoted(found.name)} is in {quoted(found.region)}, but the cluster is in {cluster.region}",
                allowed=(f"a subnetwork in {cluster.region}",),
            )


@rule(
    "TPU217",
    about=of_clusters("network.existing.subnetwork"),
    title="Subnetwork and network are in different projects",
    why="a subnetwork and its network are always in the same project. A name without a path refers to the project of "
    "the plan",
    fix="Write the full path of the network and of the subnetwork: projects/PROJECT/global/networks/NETWORK and "
    "projects/PROJECT/regions/REGION/subnetworks/SUBNETWORK. PROJECT is the project that owns them.",
    references=["PROVIDER_GO_SOURCE", "gke-vpc-native-how-to"],
    note=_PROJECT,
    failing=in_cluster("""
network:
  network: projects/acme-net/global/networks/shared
  subnetwork: tpu
  pods_range: pods
  services_range: services
"""),
    edit=("subnetwork: tpu", "subnetwork: projects/acme-net/regions/us-east5/subnetworks/tpu"),
)
def subnetwork_project_mismatch(context: PlanContext) -> Iterable[Hit]:
    for cluster, network_text, subnetwork_text, path in _pairs(context):
        network, subnetwork = _network(network_text), _subnetwork(subnetwork_text)
        if network is None or subnetwork is None:
            continue
        # The provider passes on bare names of additional interfaces, and GKE does not document how it resolves them.
        own = cluster.project if path[-1] == "existing" else None
        owner, other = network.project or own, subnetwork.project or own
        if _differ(owner, other):
            whole = f"projects/{owner}/regions/{cluster.region}/subnetworks/{subnetwork.name}"
            yield Hit(
                (*path, "subnetwork"),
                f"subnetwork {quoted(subnetwork.name)} is in project {quoted(other)}; network "
                f"{quoted(network.name)} is in project {quoted(owner)}",
                fix=SetKeys.of(subnetwork=whole) if not subnetwork.project else None,
            )


@warning(
    "TPU218",
    about=of_clusters("network.existing.pods_range", "network.existing.services_range"),
    title="Missing Pod range in a Shared VPC",
    why="in a Shared VPC, GKE cannot add secondary ranges to the subnetwork, because the subnetwork is in the host "
    "project. The ranges must already exist, and the cluster refers to them by name",
    fix="Set `pods_range` and `services_range` to the names of secondary ranges of the subnetwork.",
    references=["gke-vpc-native-how-to"],
    note=_SHARED_VPC,
    failing=in_cluster("""
network:
  network: projects/acme-net/global/networks/shared
  subnetwork: projects/acme-net/regions/us-east5/subnetworks/tpu
"""),
    edit=("subnetworks/tpu", "subnetworks/tpu\n  pods_range: pods\n  services_range: services"),
)
def missing_shared_vpc_ranges(context: PlanContext) -> Iterable[Hit]:
    for cluster, existing, path in _existing(context):
        network = _network(existing.network)
        if cluster.existing:
            continue
        if existing.pods_range is None and network is not None and _differ(network.project, cluster.project):
            yield Hit.missing(
                path,
                "key `pods_range`",
                f"network {quoted(network.name)} belongs to project {quoted(network.project)}",
                allowed=("both pods_range: NAME and services_range: NAME",),
            )


@rule(
    "TPU219",
    about=of_clusters("network.existing.pods_range", "network.existing.services_range"),
    title="Same range for Pods and Services",
    why="a Pod and a Service could get the same address, so GKE rejects the cluster",
    fix="Set `pods_range` and `services_range` to different secondary ranges of the subnetwork.",
    references=["gruntwork-gke-ranges", "gruntwork-gke-release"],
    note=_TWO_RANGES,
    failing=in_cluster("network: {network: shared, subnetwork: tpu, pods_range: tpu, services_range: tpu}"),
    edit=("pods_range: tpu, services_range: tpu", "pods_range: tpu-pods, services_range: tpu-services"),
)
def same_pod_and_service_range(context: PlanContext) -> Iterable[Hit]:
    for _, existing, path in _existing(context):
        if isinstance(existing.pods_range, str) and existing.pods_range == existing.services_range:
            yield Hit(
                (*path, "services_range"),
                f"`pods_range` and `services_range` are both {quoted(existing.pods_range)}",
            )


@rule(
    "TPU269",
    about=of_clusters("network.existing.pods_range", "network.existing.services_range"),
    title="Invalid name of a secondary range",
    why="a cluster in an existing network refers to secondary ranges of the subnetwork by their names. Their addresses "
    "are those of the subnetwork",
    fix="Set `pods_range` and `services_range` to names. "
    "`gcloud compute networks subnets describe` shows the secondary ranges of a subnetwork with their names.",
    references=["container-api-discovery"],
    note="compute-name-form",
    failing=in_cluster("""
network: {network: shared, subnetwork: tpu, pods_range: 10.16.0.0/14, services_range: tpu-services}
"""),
    edit=("pods_range: 10.16.0.0/14", "pods_range: tpu-pods"),
)
def invalid_range_name(context: PlanContext) -> Iterable[Hit]:
    for _, existing, path in _existing(context):
        for key in ("pods_range", "services_range"):
            name = getattr(existing, key)
            if isinstance(name, str) and not _NAME.match(name):
                reason = "it is a range, not the name of one" if "/" in name and address_range(name) else ""
                allowed = ("1 to 63 lower-case letters, digits and hyphens, starting with a letter",)
                yield Hit.invalid((*path, key), "name of a secondary range", name, reason, allowed=allowed)


@rule(
    "TPU229",
    about=of_clusters("network.existing.network"),
    title="Malformed name of an existing network or subnetwork",
    why="the provider accepts the name, the ID or the self link of a network or subnetwork, and Compute Engine has no "
    "other names",
    fix="Write the name, or projects/PROJECT/global/networks/NETWORK and "
    "projects/PROJECT/regions/REGION/subnetworks/SUBNETWORK.",
    references=["container-api-discovery", "PROVIDER_GO_SOURCE"],
    note="compute-name-form",
    failing=in_cluster("network: {network: Shared_VPC, subnetwork: tpu}"),
    edit=("network: Shared_VPC", "network: shared-vpc"),
)
def invalid_network_reference(context: PlanContext) -> Iterable[Hit]:
    for _, network, subnetwork, path in _pairs(context):
        for key, text, found in (
            ("network", network, _network(network)),
            ("subnetwork", subnetwork, _subnetwork(subnetwork)),
        ):
            if isinstance(text, str) and (found is None or not _NAME.match(found.name)):
                near = re.sub(r"[^a-z0-9]+", "-", text.lower()[:100]).strip("-") if "/" not in text else ""
                fix = Replace.value(near) if _NAME.match(near) else None
                yield Hit.invalid((*path, key), f"name of a {key}", text, fix=fix)


@warning(
    "TPU236",
    about=of_clusters("extra"),
    title="Private IPv6 Google access in a cluster without IPv6",
    why="the nodes reach Google's services by IPv6 then. A subnetwork with IPv4 addresses only has no route for that, "
    "and programs fail with errno 101, Network is unreachable",
    fix="Remove the setting, or give the cluster and its subnetwork both kinds of addresses.",
    references=["cluster-toolkit-ipv6"],
    note=_IPV6,
    failing=in_cluster("extra: {private_ipv6_google_access: PRIVATE_IPV6_GOOGLE_ACCESS_TO_GOOGLE}"),
    edit=(
        "private_ipv6_google_access: PRIVATE_IPV6_GOOGLE_ACCESS_TO_GOOGLE",
        "private_ipv6_google_access: INHERIT_FROM_SUBNETWORK",
    ),
)
def private_ipv6_access_without_ipv6(context: PlanContext) -> Iterable[Hit]:
    """A cluster has IPv4 addresses only unless it states another type of stack."""
    for cluster in context.fleet.clusters:
        written = {camel_case(str(key)): key for key in cluster.plan.extra}
        key = written.get("privateIpv6GoogleAccess")
        value = cluster.plan.extra.get(key) if key is not None else None
        policy = cluster.plan.extra.get(written.get("ipAllocationPolicy", ""))
        stack = {camel_case(str(name)): item for name, item in policy.items()} if isinstance(policy, dict) else {}
        if (
            key is not None
            and isinstance(value, str)
            and value in _WITH_IPV6
            and stack.get("stackType") in (None, "IPV4")
        ):
            message = f"the cluster has no IPv6 addresses, and private IPv6 Google access is {value}"
            yield Hit((*cluster.path, "extra", key), message)
