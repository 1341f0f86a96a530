"""What the provider reads of a resource that it knows by its id only: on import, and of an interrupted creation."""

from typing import Any

from support.gcp_standin.knowledge import CLUSTER, POOL, Kind

_ONLY_THE_PROVIDERS = {"ignoreNodeCountChanges": False}
"""Properties that no API answers, with the value that they have after an import."""
_OF_CLUSTERS = {
    "deletionProtection": True,
    "minMasterVersion": "",
    "removeDefaultNodePool": False,
    "resourceLabels": {},
}
"""The same for clusters. Labels are read as ``effectiveLabels`` only (observed with the provider of Terraform)."""


def imported(kind: Kind, state: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
    """Changes the state that was read into that of an import, and gives the inputs that the provider makes of it.

    The importer of node pools takes project, location, cluster and name from the id, each without a slash (source of
    ``resource_container_node_pool.go``: ``resourceContainerNodePoolStateImporter``), and reading sets none but the
    first two again. So ``cluster`` is the bare name, however it was written when the pool was created. Of taints,
    reading keeps those that the state has, and an import has no state.
    """
    if kind.token == POOL:
        state["cluster"] = str(state["cluster"]).rpartition("/")[2]
        state["nodeConfig"] = {**state["nodeConfig"], "taints": []}
        state.update({name: value for name, value in _ONLY_THE_PROVIDERS.items() if name in state})
    if kind.token == CLUSTER:
        state.update({name: value for name, value in _OF_CLUSTERS.items() if name in state})
    if inputs:
        return {name: state.get(name, value) for name, value in inputs.items()}
    return _settable(kind, "", state)


def _settable(kind: Kind, prefix: str, block: dict[str, Any]) -> dict[str, Any]:
    """What is left of a block without outputs and empty values."""
    found: dict[str, Any] = {}
    for name, value in block.items():
        path = f"{prefix}{name}"
        if path in kind.properties and value not in (None, "", [], {}, False, 0):
            inside = kind.is_block(path) and isinstance(value, dict)
            found[name] = _settable(kind, f"{path}.", value) if inside else value
    return found
