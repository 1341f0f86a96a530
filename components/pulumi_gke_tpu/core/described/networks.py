"""From a network and a subnetwork that a source creates to ``network.create`` of the cluster that uses them."""

from collections.abc import Callable, Iterable

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.described.model import DescribedSource
from pulumi_gke_tpu.core.described.part import Part, entries
from pulumi_gke_tpu.core.described.stack import Stack, StackResource
from pulumi_gke_tpu.core.graph.keys import CLUSTER_KEYS, plan_keys
from pulumi_gke_tpu.core.plan.base import Resource
from pulumi_gke_tpu.core.resources.values import NotKnownError, Values, steps_of
from pulumi_gke_tpu.core.text.formats.names import region_of

_CREATE = "network.create"
_PODS = f"{_CREATE}.pods"
_RANGES = "secondaryIpRanges"
_POLICY = "ipAllocationPolicy"
_NAMES = {"pods": f"{_POLICY}.clusterSecondaryRangeName", "services": f"{_POLICY}.servicesSecondaryRangeName"}
"""Key of a range -> the property of the cluster that names it."""
_OTHER_PODS = f"{_POLICY}.additionalPodRangesConfig"


def created_network(part: Part, cluster: StackResource, stack: Stack, catalog: Catalog) -> None:
    """Describe the network of a cluster, if the source creates it and the subnetwork, in the place of the cluster."""
    subnetwork = stack.subnetwork_of(cluster)
    network = stack.network_of(cluster) or (stack.network_of(subnetwork) if subnetwork is not None else None)
    if subnetwork is None or network is None or not _beside(part, cluster, subnetwork):
        return
    part.unknown.discard("network")
    part.keys["network"] = {"create": {}}
    made, ranges = _source(network), _source(subnetwork)
    _at(part, _CREATE, "name", made)
    mtu, subnet = _property("mtu", "network"), _property("subnet", "subnetwork")
    usual = catalog.platform.network.default_mtu
    _read(part, "mtu", mtu, lambda: network.asked.values.number(mtu) or usual, made)
    _read(part, "subnet", subnet, lambda: subnetwork.asked.values.text(subnet), ranges)
    for key, (property, value) in _secondary(cluster.asked.values, subnetwork.asked.values).items():
        _read(part, key, property, lambda value=value: value, ranges)  # type: ignore[misc]
    nat = stack.nat_in(network)
    part.set(f"{_CREATE}.nat", nat is not None, "name")
    if nat is None and not network.whole:
        part.unknown.add(f"{_CREATE}.nat")
    _at(part, f"{_CREATE}.nat", "name", _source(nat or network))


def _source(member: StackResource) -> DescribedSource:
    return DescribedSource(member.urn, member.asked.name, exists=member.exists)


def _property(key: str, resource: Resource) -> str:
    return plan_keys().property_of(f"{CLUSTER_KEYS}{_CREATE}.{key}", resource)


def _at(part: Part, key: str, property: str, source: DescribedSource) -> None:
    part.note(key, property)
    part.elsewhere[steps_of(key)] = source


def _read(part: Part, key: str, property: str, get: Callable[[], int | str], source: DescribedSource) -> None:
    path = f"{_CREATE}.{key}"
    if not part.read(path, property, get):
        part.unknown.add(path)
    _at(part, path, property, source)


def _beside(part: Part, cluster: StackResource, subnetwork: StackResource) -> bool:
    """Whether a subnetwork is in the region of its cluster, as far as that is known, and not of another project."""
    own, other = cluster.asked.values.known_text("project"), subnetwork.asked.values.known_text("project")
    region, there = region_of(str(part.keys["location"])), subnetwork.asked.values.known_text("region")
    return (not own or not other or own == other) and (not region or not there or region == there)


def _secondary(cluster: Values, subnetwork: Values) -> dict[str, tuple[str, str]]:
    """The property and the value of the range of Pods and of that of Services; empty if it is not known."""
    found = dict.fromkeys(_NAMES, (f"{_RANGES}.ipCidrRange", ""))
    try:
        ranges = {
            one.text("rangeName"): (f"{_RANGES}[{index}].ipCidrRange", one.text("ipCidrRange"))
            for index, item in entries(subnetwork.get(_RANGES))
            if (one := Values(item)).text("rangeName")
        }
    except NotKnownError:
        return found
    return {key: ranges.get(cluster.known_text(name), found[key]) for key, name in _NAMES.items()}


def note_pod_ranges(part: Part, pools: Iterable[tuple[Values, bool]], catalog: Catalog) -> None:
    """Leave open which Pod range is enough if Pods have other ranges, or nodes another number of Pods than a key says.

    ``pools`` are the properties of each node pool, and whether it has TPUs, whose number of Pods has a key.
    """
    if "create" not in part.keys.get("network", {}):
        return
    cluster, usual = part.values, (None, 0, catalog.platform.nodes.default_pods_per_node)
    own = ("", cluster.known_text(_NAMES["pods"]))
    try:
        known = not cluster.sets(_OTHER_PODS) and cluster.number("defaultMaxPodsPerNode") in usual
        for values, tpus in pools:
            known &= values.text("networkConfig.podRange") in own and (tpus or values.number("maxPodsPerNode") in usual)
    except NotKnownError:
        known = False
    if not known:
        part.unknown.add(_PODS)
