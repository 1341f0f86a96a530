"""The properties of a cluster or a TPU node pool that decide about it and that a source does not know."""

from collections.abc import Iterator
from typing import Final

from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.resources.model import RawResource, Unread
from pulumi_gke_tpu.core.resources.values import NotKnownError
from pulumi_gke_tpu.core.text.findings import listed
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


def open_part(resource: RawResource, reason: str, *, part: str = "", line: int = 0, begin: str = "") -> Unread | None:
    """The properties together as a part of the file that was not read; None if there are none.

    ``part`` and ``line`` are those of the resource unless given; the names of the properties begin with ``begin``.
    """
    names, origin = [name for name in _names(resource) if name.startswith(begin)], resource.origin
    if not names:
        return None
    part, line = part or origin.address, line or origin.locate(()).line
    return Unread(origin.file, reason, f"{part}: {listed(names, 'and')}", line)


def _names(resource: RawResource) -> Iterator[str]:
    """The properties in the spelling of the source; none of a node pool whose machines have no TPU."""
    machine = resource.values.known_text(_MACHINE)
    if machine and not _OF_TPUS.match(machine):
        return
    for path in _DECIDING.get(resource.type, ()):
        try:
            resource.values.get(path)
        except NotKnownError:
            yield resource.spelling.written(path)
