"""What a preview shows of a cluster beside its slices: access, security, upgrades, policies and Kubernetes objects."""

from collections.abc import Iterator
from dataclasses import replace

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.settings import cluster_settings
from pulumi_gke_tpu.core.plan.interfaces import Network
from pulumi_gke_tpu.core.text.findings import listed, number, printable
from pulumi_gke_tpu.features.plan.preview import texts
from pulumi_gke_tpu.features.plan.preview.settings import settings_of_cluster, settings_texts

_MOST_RANGES = 3
_MOST_NAMES = 3
_SHORT = {"auto-provisioning": "auto", "system pool": "system"}


def cluster_properties(cluster: Cluster) -> list[tuple[str, str]]:
    """The properties by name, without those that the plan leaves out."""
    record = replace(settings_of_cluster(cluster), private_nodes=None, additional_networks=())
    return [
        ("access", " · ".join(_access(cluster))),
        ("KMS key", printable(str(cluster.plan.kms_key), 200) if cluster.plan.kms_key else ""),
        ("upgrades", texts.maintenance_text(cluster)),
        ("policies", _policies(cluster)),
        ("system pool", texts.system_text(cluster)),
        *((f"CPU pool {printable(pool.name)}", texts.cpu_pool_text(pool)) for pool in cluster.cpu_pools),
        ("Kubernetes", _objects(cluster)),
        ("settings", "; ".join(settings_texts(record))),
    ]


def short(name: str, text: str) -> tuple[str, str]:
    """A property for a tree, where a long name would leave less room to the groups."""
    kind, space, pool = name.rpartition(" pool ")
    return (pool, f"{kind}{space.rstrip()}, {text}") if space else (_SHORT.get(name, name), text)


def _access(cluster: Cluster) -> Iterator[str]:
    """Who reaches the control plane, and how nodes reach the network."""
    settings = cluster_settings(cluster)
    if not cluster.existing:
        if settings.dns_endpoint.value:
            yield "DNS endpoint"
        if settings.ip_endpoint.value:
            ranges = [printable(str(value)) for value in cluster.plan.control_plane.authorized_networks.values()]
            allowed = f" for {listed(ranges, most=_MOST_RANGES)}" if ranges else ", no authorized network"
            yield f"{'private ' if settings.private_endpoint.value else ''}IP endpoint{allowed}"
    if settings.private_nodes.value is not None:
        yield "private nodes" if settings.private_nodes.value else "nodes with external IP addresses"
    network = cluster.plan.network
    if isinstance(network, Network) and network.create is not None:
        yield f"new network {printable(str(network.create.subnet))}"
    elif isinstance(network, Network) and network.existing is not None:
        used = network.existing
        yield f"network {printable(str(used.network))}, subnetwork {printable(str(used.subnetwork))}"
    elif not cluster.existing:
        yield "default network"
    added = [str(item.path[-1]) for item in cluster.additional_networks]
    if added:
        yield f"additional networks {listed([*map(printable, added)], most=_MOST_NAMES)}"


def _policies(cluster: Cluster) -> str:
    """The workload policies that the plan creates."""
    own = [policy.name for policy in cluster.workload_policies]
    names = [*own, *(group.policy_name for group in cluster.groups if group.policy_name is not None)]
    return (
        f"workload {'policy' if len(names) == 1 else 'policies'} {listed([*map(printable, names)], most=_MOST_NAMES)}"
        if names
        else ""
    )


def _objects(cluster: Cluster) -> str:
    """The Kubernetes objects of the plan, which ``gke-tpu manifests`` writes."""
    plan = cluster.plan.kubernetes
    classes = sum(group.compute_class is not None for group in cluster.groups)
    counts = [
        (classes, "ComputeClass", "ComputeClasses"),
        (len(plan.queues) if plan else 0, "queue", "queues"),
        (len(plan.priority_classes) if plan else 0, "priority class", "priority classes"),
        (len(plan.workloads) if plan else 0, "workload", "workloads"),
    ]
    shown = [number(count, one, many) for count, one, many in counts if count]
    return f"{listed(shown)}, which gke-tpu manifests writes" if shown else ""
