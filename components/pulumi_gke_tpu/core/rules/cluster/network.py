"""Checks of a network that gke-tpu creates: its address ranges, MTU and name, TPU261 to TPU268."""

import ipaddress
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.platform import AddressRanges
from pulumi_gke_tpu.core.fleet import Cluster, InterfaceNetwork
from pulumi_gke_tpu.core.fleet.addresses import node_count, pod_addresses
from pulumi_gke_tpu.core.plan.networks import CreateNetwork
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, is_moved
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, Severity, as_only, listed, number, quoted
from pulumi_gke_tpu.core.text.formats.names import Range, address_range

_RANGES = ("subnet", "pods", "services")
_WIDEST = 8
NO_NETWORKS = {"objects": "objects of networks are not read"}
"""Why rules about networks do not check some sources."""


def created_networks(context: PlanContext) -> Iterator[tuple[Cluster, CreateNetwork, Path]]:
    for cluster in context.fleet.clusters:
        if cluster.plan.network is not None and cluster.plan.network.create is not None and not cluster.existing:
            yield cluster, cluster.plan.network.create, (*cluster.path, "network", "create")


def _default_length(key: str) -> str:
    """The prefix length of the default range of a key."""
    return str(CreateNetwork.model_fields[key].default).partition("/")[2]


def _nearest(text: str) -> str:
    """The range that contains an address; empty for other text."""
    try:
        return str(ipaddress.ip_interface(text).network)
    except ValueError:
        return ""


@rule(
    "TPU261",
    about=of_clusters(
        "additional_networks.*.subnet",
        "control_plane.authorized_networks",
        "network.create.pods",
        "network.create.services",
        "network.create.subnet",
    ),
    otherwise={Severity.WARNING: "if an authorized network does not begin at its first address"},
    title="Invalid address range",
    why="the provider and Compute Engine require a range in CIDR notation that begins at its first address, with "
    "addresses that hosts can have",
    fix="Write ADDRESS/LENGTH, such as 10.0.0.0/20.",
    references=["OBSERVED_2026_11_20", "rfc-6890", "rfc-5771"],
    source="observed in tests: the provider checks the range",
    basis="observed",
    failing=in_cluster("""
network:
  create: {subnet: 10.0.0.1/20}
"""),
    edit=("subnet: 10.0.0.1/20", "subnet: 10.0.0.0/20"),
)
def invalid_cidr_range(context: PlanContext) -> Iterable[Hit]:
    for _, create, path in created_networks(context):
        for key in _RANGES:
            text = getattr(create, key)
            if address_range(text) is None:
                near = _nearest(text if "/" in text else f"{text}/{_default_length(key)}")
                yield _invalid_range((*path, key), text, near if "." in near else "", None)
            else:
                yield from _not_assignable(context, (*path, key), text)
    for cluster in context.fleet.clusters:
        for network in cluster.additional_networks:
            text = network.plan.subnet
            if address_range(text) is None:
                near = _nearest(text)
                yield _invalid_range((*network.path, "subnet"), text, near if "." in near else "", None)
            else:
                yield from _not_assignable(context, (*network.path, "subnet"), text)
        for name, text in cluster.plan.control_plane.authorized_networks.items():
            near = _nearest(text) if isinstance(text, str) else ""
            if isinstance(text, str) and near != text:
                # GKE may round a range down; it rejects a malformed one.
                weight = Severity.WARNING if near and "/" in text else None
                yield _invalid_range((*cluster.path, "control_plane", "authorized_networks", name), text, near, weight)


def _not_assignable(context: PlanContext, path: Path, text: str) -> Iterator[Hit]:
    """A range with addresses that no host can have."""
    fact = context.catalog.platform.special_ranges
    found = address_range(text)
    for kind, written in fact.ranges.items():
        special = address_range(written)
        if found is not None and special is not None and found.overlaps(special):
            reason = f"{special} is for {kind} addresses, which no host of a network can have"
            yield Hit.invalid(path, "address range", text, reason, fact=fact, allowed=("a range such as 10.0.0.0/20",))


def _invalid_range(path: Path, text: str, near: str, weight: Severity | None) -> Hit:
    inside = bool(near) and "/" in text and near.partition("/")[0] != text.partition("/")[0]
    return Hit.invalid(
        path,
        "address range",
        text,
        "it does not begin at its first address" if inside else "",
        severity=weight,
        allowed=() if near else ("an address range such as 10.0.0.0/20",),
        fix=as_only(SetKeys.of({path[-1]: near}), inside),
    )


@rule(
    "TPU262",
    silent_in=NO_NETWORKS,
    about=of_clusters("network.create.pods", "network.create.services", "network.create.subnet"),
    title="Overlapping address ranges",
    why="nodes, Pods and Services of a cluster share one network, and Compute Engine rejects overlapping ranges in a "
    "network",
    fix="Change one of the ranges so that the ranges no longer overlap.",
    references=["container-api-discovery"],
    note="ranges-unique",
    failing=in_cluster("""
network:
  create: {services: 10.16.0.0/20}
"""),
    edit=("services: 10.16.0.0/20", "services: 10.20.0.0/20"),
)
def overlapping_ranges(context: PlanContext) -> Iterable[Hit]:
    for _, create, path in created_networks(context):
        taken: dict[str, Range] = {}
        for key in _RANGES:
            mine = address_range(getattr(create, key))
            if mine is None:
                continue
            for other, theirs in taken.items():
                if mine.overlaps(theirs):
                    blamed = other if create.written(other) and not create.written(key) else key
                    yield Hit(
                        (*path, blamed),
                        f"`{key}` {mine} overlaps `{other}` {theirs}",
                        given=f"{blamed}: {getattr(create, blamed)}",
                    )
            taken[key] = mine


def _wider(create: CreateNetwork, key: str, addresses: int) -> str:
    """A range that contains the one of a key, has enough addresses and overlaps no other; empty if there is none."""
    prefix = 32 - max(addresses - 1, 1).bit_length()
    mine = address_range(getattr(create, key))
    if mine is None or prefix < _WIDEST or prefix >= mine.prefixlen:
        return ""
    wider = mine.supernet(new_prefix=prefix)
    others = (address_range(getattr(create, other)) for other in _RANGES if other != key)
    return "" if any(other is not None and wider.overlaps(other) for other in others) else str(wider)


@rule(
    "TPU263",
    silent_in=NO_NETWORKS,
    about=of_clusters("network.create.pods", "slices.*.max_pods_per_node"),
    title="Pod range is too small",
    why="every node uses a block of the Pod range. When the range is exhausted, GKE cannot add nodes",
    fix="Enlarge the range, or lower `max_pods_per_node`.",
    references=["gke-alias-ips"],
    failing=in_cluster("""
network:
  create: {mtu: 8896, pods: 10.16.0.0/18}
slices:
  pretrain: {tpu: v6e, topology: 16x16, zone: us-east5-b}
"""),
    edit=("zone: us-east5-b", "zone: us-east5-b, max_pods_per_node: 32"),
)
def pod_range_too_small(context: PlanContext) -> Iterable[Hit]:
    for cluster, create, path in created_networks(context):
        pods = address_range(create.pods)
        if pods is None or cluster.mode != "standard":
            continue
        needed = pod_addresses(cluster, context.catalog)
        if needed > pods.num_addresses:
            wider = _wider(create, "pods", needed)
            yield Hit(
                (*path, "pods"),
                f"the Pod range {pods} has {pods.num_addresses:,} addresses; the {node_count(cluster):,} nodes "
                f"of the plan require {needed:,} addresses",
                fact=context.catalog.platform.addresses,
                given=f"pods: {pods}",
                fix=SetKeys.of(pods=wider),
            )


@rule(
    "TPU264",
    silent_in=NO_NETWORKS,
    about=of_clusters("additional_networks.*.subnet", "network.create.subnet"),
    title="Subnetwork is too small",
    why="every node uses an address of the subnetwork of each of its network interfaces, and Google reserves some "
    "addresses of each subnetwork",
    fix="Enlarge the range of the subnetwork.",
    references=["gke-alias-ips"],
    failing=in_cluster("""
network:
  create: {mtu: 8896, subnet: 10.0.0.0/27}
slices:
  pretrain: {tpu: v6e, topology: 8x16, zone: us-east5-b}
"""),
    edit=("subnet: 10.0.0.0/27", "subnet: 10.0.0.0/26"),
)
def subnetwork_too_small(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.platform.addresses
    for cluster, create, path in created_networks(context):
        subnet = address_range(create.subnet)
        if subnet is None:
            continue
        needed, room = max(node_count(cluster), 1), max(subnet.num_addresses - facts.reserved_in_subnet, 0)
        if needed > room:
            wider = _wider(create, "subnet", needed + facts.reserved_in_subnet)
            yield Hit(
                (*path, "subnet"),
                f"subnetwork {subnet} has addresses for {number(room, 'node')}, but the plan has up to {needed:,} "
                "nodes",
                fact=facts,
                given=f"subnet: {subnet}",
                fix=SetKeys.of(subnet=wider),
            )
    for cluster in context.fleet.clusters:
        for network in cluster.additional_networks:
            yield from _too_small_for_interfaces(facts, cluster, network)


def _too_small_for_interfaces(facts: AddressRanges, cluster: Cluster, network: InterfaceNetwork) -> Iterable[Hit]:
    subnet = address_range(network.plan.subnet)
    hosts = sum(
        group.hosts.maximum
        for group in cluster.groups
        if any(item.name == network.path[-1] for item in group.plan.additional_networks)
    )
    room = max(subnet.num_addresses - facts.reserved_in_subnet, 0) if subnet is not None else hosts
    if hosts > room:
        yield Hit(
            (*network.path, "subnet"),
            f"subnetwork {subnet} has addresses for {number(room, 'host')}, but up to {hosts:,} hosts have an "
            "interface in it",
            fact=facts,
        )


@warning(
    "TPU265",
    silent_in=NO_NETWORKS,
    about=of_clusters("network.create.services"),
    title="Services range is too small",
    why="according to the GKE documentation, the Services range has a minimum size, so GKE may reject a smaller "
    "range. The range cannot be changed later",
    fix="Enlarge the Services range.",
    references=["gke-alias-ips"],
    failing=in_cluster("""
network:
  create: {services: 10.20.0.0/29}
"""),
    edit=("services: 10.20.0.0/29", "services: 10.20.0.0/27"),
)
def services_range_too_small(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.platform.addresses
    longest = facts.longest_services_prefix
    for _, create, path in created_networks(context):
        services = address_range(create.services)
        if services is not None and services.prefixlen > longest:
            wider = _wider(create, "services", 2 ** (32 - longest))
            yield Hit(
                (*path, "services"),
                f"the Services range {services} is smaller than the documented minimum size, /{longest}",
                fact=facts.for_item("longest_services_prefix"),
                given=f"services: {services}",
                fix=SetKeys.of(services=wider),
            )


@rule(
    "TPU268",
    plans_only="a network of another tool has a name of its own",
    about=of_clusters("additional_networks", "name", "network.create"),
    title="Duplicate network name",
    why="gke-tpu names a network after its cluster, and an additional network after its cluster and key. A network "
    "name is unique in a project, across all regions, so the second network cannot be created",
    fix="Set a different `name` for one of the clusters.",
    references=["container-api-discovery", "OBSERVED_2026_11_20"],
    note="name-identity",
    failing="""
version: 1
project: acme-ml
clusters:
  train: {mode: standard, location: us-east5, network: create}
  train-two: {mode: standard, location: us-central1, name: train, network: create}
""",
    edit=("name: train, network: create", "network: create"),
)
def duplicate_network_name(context: PlanContext) -> Iterable[Hit]:
    owners: dict[str, Cluster] = {}
    for cluster, name, path in _named_networks(context):
        owner = owners.setdefault(name, cluster)
        if owner is not cluster and _identity(owner) != _identity(cluster) and not is_moved(cluster, owner):
            reason = f"clusters {quoted(owner.key)} and {quoted(cluster.key)} both create it"
            additional = "additional_networks" in path
            advice = "Use another key for the additional network." if additional else ""
            yield Hit.duplicate(path, "network name", name, reason, advice=advice)


def _identity(cluster: Cluster) -> tuple[str, str]:
    """Clusters with the same one are duplicates, which another rule reports."""
    return cluster.location, cluster.name


def _named_networks(context: PlanContext) -> Iterator[tuple[Cluster, str, Path]]:
    for cluster, _, path in created_networks(context):
        yield cluster, cluster.name, path
    for cluster in context.fleet.clusters:
        for network in cluster.additional_networks:
            yield cluster, network.name, network.path


def _networks(context: PlanContext) -> Iterator[tuple[Cluster, int, Path]]:
    """The MTU of every network that is created, with its cluster and the path of the network."""
    for cluster, create, path in created_networks(context):
        yield cluster, create.mtu, path
    for cluster in context.fleet.clusters:
        for network in cluster.additional_networks:
            yield cluster, network.plan.mtu, network.path


@rule(
    "TPU266",
    silent_in=NO_NETWORKS,
    about=of_clusters("additional_networks.*.mtu", "network.create.mtu"),
    title="Invalid MTU",
    why="Compute Engine rejects a network whose MTU is outside the limits",
    fix="Set `mtu` to a value within the limits.",
    references=["cluster-toolkit-tpu7x", "tpu-recipes-setup"],
    failing=in_cluster("""
network:
  create: {mtu: 9000}
"""),
    edit=("mtu: 9000", "mtu: 8896"),
)
def invalid_mtu(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.platform.network
    for _, mtu, path in _networks(context):
        if not facts.min_mtu <= mtu <= facts.jumbo_mtu:
            yield Hit(
                (*path, "mtu"),
                f"invalid MTU {mtu:,}: allowed {facts.min_mtu:,} to {facts.jumbo_mtu:,}",
                fact=facts,
                fix=SetKeys.of(mtu=facts.jumbo_mtu),
            )


@rule(
    "TPU267",
    silent_in=NO_NETWORKS,
    about=of_clusters("additional_networks.*.mtu", "network.create.mtu"),
    title="MTU is low for the generation",
    why="traffic between hosts of this generation is much faster with large packets",
    fix="Set `mtu` to the recommended value.",
    references=["cluster-toolkit-tpu7x", "tpu-recipes-setup", "accelerator-network-profile-news"],
    severity=Severity.NOTE,
    failing=in_cluster("""
network:
  create: {mtu: 1500}
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""),
    edit=("mtu: 1500", ""),
)
def low_mtu(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.platform.network
    for cluster, mtu, path in _networks(context):
        generations = sorted({group.shape.generation for group in cluster.groups if group.shape.multi_host})
        affected = [name for name in generations if context.catalog.generation(name).jumbo_frames]
        if affected and facts.min_mtu <= mtu < facts.jumbo_mtu:
            yield Hit(
                (*path, "mtu"),
                f"MTU {facts.jumbo_mtu:,} is recommended for {listed(affected)}, but the network has {mtu:,}",
                fact=facts,
            )
