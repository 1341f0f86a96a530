"""The properties of a cluster or a TPU node pool that decide about it and that a source does not know."""

from collections.abc import Iterator
from typing import Final

from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.values import NotKnownError
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_MACHINE = "nodeConfig.machineType"
_DECIDING: Final = {
    NODE_POOL: (
        _MACHINE,
        "placementPolicy.tpuTopology",
        "placementPolicy.policyName",
        "nodeConfig.diskType",
        "nodeConfig.bootDisk.diskType",
        "nodeLocations",
        "nodeCount",
        "initialNodeCount",
        "autoscaling",
        "version",
    ),
    CLUSTER: ("minMasterVersion", "clusterAutoscaling.resourceLimits", "enableAutopilot"),
}
_OF_TPUS = lazy_pattern(r"ct\d|tpu|v\d")


def open_properties(resource: RawResource) -> Iterator[str]:
    """The properties in the spelling of the source; none of a node pool whose machines have no TPU."""
    machine = resource.values.known_text(_MACHINE)
    if machine and not _OF_TPUS.match(machine):
        return
    for path in _DECIDING.get(resource.type, ()):
        try:
            resource.values.get(path)
        except NotKnownError:
            yield resource.spelling.written(path)
