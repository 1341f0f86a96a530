"""GKE's part of dynamic slicing in a control plane: its kind Slice, and a fake of what forms and dismantles slices.

The kind accepts and refuses what was observed of GKE's: any numbers in a topology, and any list of partitions but an
empty one. ``Activator`` follows Google's pages: conditions, labels of the nodes, and a finalizer. Simpler than GKE:

- Each step happens when a test asks for it; none takes time or fails by itself.
- The health of nodes is that in their labels. A slice that is active stays so.
"""

from typing import Any

from support.control_plane.client import Client, Object
from support.control_plane.cubes import SLICE
from support.control_plane.manifests import TOPOLOGY

FINALIZER = "accelerator.gke.io/slice-finalizer"
_BLOCK, _PARTITION = "cloud.google.com/gce-topology-block", "cloud.google.com/gke-tpu-partition-{}-{}"
_CUBE, _PARTS = 64, ("2x2x1", "2x2x2", "2x2x4", "2x4x4")
_TEXT: Object = {"type": "string"}
_CONDITION = {
    "type": "object",
    "required": ["lastTransitionTime", "message", "reason", "status", "type"],
    "properties": {
        "lastTransitionTime": {"type": "string", "format": "date-time"},
        **dict.fromkeys(("message", "reason", "status", "type"), _TEXT),
    },
}
_SPEC = {
    "type": "object",
    "required": ["partitionIds", "topology", "type"],
    "properties": {
        "type": {"type": "string", "enum": ["tpu7x"]},
        "topology": {"type": "string", "pattern": "^[0-9]+x[0-9]+(x[0-9]+)?$"},
        "partitionIds": {"type": "array", "items": _TEXT, "minItems": 1},
    },
}
_STATUS = {"type": "object", "properties": {"conditions": {"type": "array", "items": _CONDITION}}}
_VERSION = {
    "name": "v1beta1",
    "served": True,
    "storage": True,
    "subresources": {"status": {}},
    "schema": {
        "openAPIV3Schema": {
            "type": "object",
            "properties": {
                "apiVersion": _TEXT,
                "kind": _TEXT,
                "metadata": {"type": "object"},
                "spec": _SPEC,
                "status": _STATUS,
            },
        }
    },
}
DEFINITION: Object = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "slices.accelerator.gke.io"},
    "spec": {
        "group": "accelerator.gke.io",
        "scope": "Cluster",
        "names": {"kind": "Slice", "listKind": "SliceList", "plural": "slices", "singular": "slice"},
        "versions": [_VERSION],
    },
}


def slice_object(name: str, topology: str, nodes: list[Object]) -> Object:
    """What the slice controller for Kueue makes for nodes that Kueue has chosen: the partitions in their labels."""
    label = _PARTITION.format(topology if topology in _PARTS else "4x4x4", "id")
    partitions = dict.fromkeys(node["metadata"]["labels"][label] for node in nodes)
    spec = {"type": "tpu7x", "topology": topology, "partitionIds": [*partitions]}
    return {"apiVersion": "accelerator.gke.io/v1beta1", "kind": "Slice", "metadata": {"name": name}, "spec": spec}


class Activator:
    """Forms and dismantles slices, one step each time."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def slices(self) -> list[Object]:
        """Every slice that exists, sorted by name."""
        return self.client.list("accelerator.gke.io/v1beta1", "Slice", "")

    def form(self, made: Object) -> list[str]:
        """Form a slice that exists; the reasons of its condition one after the other."""
        self.client.patch(made, {"metadata": {"finalizers": [FINALIZER]}})
        nodes = self._nodes(made)
        reason, message = _failure(made, nodes)
        if reason:
            return [self._report(made, reason, message)]
        reasons = [self._report(made, "ACTIVATING")]
        labels = {SLICE: made["metadata"]["name"], TOPOLOGY: made["spec"]["topology"]}
        for node in nodes:
            self.client.patch(node, {"metadata": {"labels": labels}})
        return [*reasons, self._report(made, "ACTIVE")]

    def dismantle(self, made: Object) -> None:
        """Delete a slice: its nodes lose the labels, and then it loses its finalizer."""
        self.client.delete(made)
        self._report(made, "DEACTIVATING")
        for node in self.client.list("v1", "Node", ""):
            if node["metadata"]["labels"].get(SLICE) == made["metadata"]["name"]:
                self.client.patch(node, {"metadata": {"labels": {SLICE: None, TOPOLOGY: None}}})
        self.client.patch(made, {"metadata": {"finalizers": None}})

    def _nodes(self, made: Object) -> list[Object]:
        topology, wanted = made["spec"]["topology"], made["spec"]["partitionIds"]
        label = _PARTITION.format(topology if topology in _PARTS else "4x4x4", "id")
        return [node for node in self.client.list("v1", "Node", "") if node["metadata"]["labels"].get(label) in wanted]

    def _report(self, made: Object, reason: str, message: str = "") -> str:
        status = "True" if reason == "ACTIVE" else "False"
        condition = {"type": "Ready", "status": status, "reason": reason, "message": message}
        times: dict[str, Any] = {"lastTransitionTime": "2026-01-11T23:45:38Z"}
        self.client.patch(made, {"status": {"conditions": [condition | times]}}, "/status")
        return reason


def _failure(made: Object, nodes: list[Object]) -> tuple[str, str]:
    """Why GKE cannot form a slice of these nodes: reason and message, empty if it can."""
    edges = [int(edge) for edge in made["spec"]["topology"].split("x")]
    chips, partitions = 1, made["spec"]["partitionIds"]
    for edge in edges:
        chips *= edge
    if len(partitions) != max(1, chips // _CUBE) or len({*partitions}) != len(partitions):
        return "SliceCreationFailed", "partition count does not match topology dimensions"
    if len(nodes) * 4 != chips:
        return "SliceCreationFailed", "Insufficient physical nodes provisioned"
    if any(SLICE in node["metadata"]["labels"] for node in nodes):
        return "SliceCreationFailed", "Prerequisites validation failed: nodes are used by another slice"
    blocks = {node["metadata"]["labels"][_BLOCK] for node in nodes}
    return ("FAILED", "partitions are not in one block") if len(blocks) > 1 else ("", "")
