"""The effect of a change on access to a cluster and its nodes."""

from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.graph.phrases import MOST_NAMES
from pulumi_gke_tpu.core.text.findings import listed, quoted
from pulumi_gke_tpu.features.diff.consent.subject import ClusterChange
from pulumi_gke_tpu.features.diff.model import ResourceChange
from pulumi_gke_tpu.features.diff.sentences import Sentences

_DNS = "controlPlaneEndpointsConfig.dnsEndpointConfig.allowExternalTraffic"
_IP = "controlPlaneEndpointsConfig.ipEndpointsConfig.enabled"
_PRIVATE_ENDPOINT = "privateClusterConfig.enablePrivateEndpoint"
_PRIVATE_NODES = "privateClusterConfig.enablePrivateNodes"

_OFF, _ON = False, True
_SWITCHED: Mapping[tuple[str, bool], str] = {
    (
        _DNS,
        _OFF,
    ): "the DNS endpoint is disabled: clients that use the name of the control plane, such as `kubectl`, stop working",
    (
        _DNS,
        _ON,
    ): "the DNS endpoint is enabled: every client with the IAM permission can reach the control plane by its name",
    (_IP, _OFF): "the IP endpoint is disabled: clients that use the address of the control plane stop working",
    (_IP, _ON): "the IP endpoint is enabled",
    (_PRIVATE_ENDPOINT, _OFF): "the IP endpoint gets a public address in addition to its private one",
    (_PRIVATE_ENDPOINT, _ON): "the IP endpoint has only a private address: clients on the internet stop working",
    (_PRIVATE_NODES, _OFF): "nodes get public addresses",
    (_PRIVATE_NODES, _ON): "nodes get no public addresses: without Cloud NAT they cannot reach the internet",
}


def describe_access(item: ClusterChange, cluster: ResourceChange, sentences: Sentences) -> None:
    """Endpoints that an update enables or disables, and networks that it adds or removes. Not for a new cluster."""
    if cluster.operation != "update":
        return
    values = {difference.path: difference.will for difference in cluster.differences}
    for (path, switched), sentence in _SWITCHED.items():
        if path in values and bool(values[path]) is switched and _is_switch(values[path]):
            sentences.add(sentence)
    if not (_IP in values and _is_switch(values[_IP]) and not values[_IP]):
        _describe_networks(item, sentences)


def _is_switch(value: object) -> bool:
    """Whether a value is true or false, and not unknown."""
    return isinstance(value, bool)


def _describe_networks(item: ClusterChange, sentences: Sentences) -> None:
    base, head = item.pair.base, item.pair.head
    if base is None or head is None:
        return
    was, will = base.plan.control_plane.authorized_networks, head.plan.control_plane.authorized_networks
    before, after = _blocks(was), _blocks(will)
    gone = [block for block in before if block not in after]
    new = [block for block in after if block not in before]
    if gone:
        sentences.add(f"the plan no longer lets {listed(gone, most=MOST_NAMES)} reach the IP endpoint")
    if new:
        sentences.add(f"the plan lets {listed(new, most=MOST_NAMES)} reach the IP endpoint from now on")


def _blocks(networks: Mapping[str, Any]) -> list[str]:
    """The ranges, in the order of the plan; for an unknown range, its name."""
    return [quoted(block if isinstance(block, str) else name) for name, block in networks.items()]
