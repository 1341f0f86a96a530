"""What the provider reads of a resource that it knows by its id only: on import, and of an interrupted creation."""

from typing import Any

from support.gcp_standin.knowledge import CLUSTER, POOL, Kind

_ONLY_THE_PROVIDERS = {"ignoreNodeCountChanges": False}
"""Properties that no API answers, with the value that they have after an import."""
OF_CLUSTERS = {
    "deletionProtection": True,
    "minMasterVersion": "",
    "removeDefaultNodePool": False,
    "resourceLabels": {},
}
"""The same for clusters. Labels are read as ``effectiveLabels`` only (observed with the provider of Terraform)."""


def as_imported(kind: Kind, state: dict[str, Any]) -> None:
    """Change the state that was read into that of an import.

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
        state.update(OF_CLUSTERS)


def inputs_of(kind: Kind, stored: dict[str, Any]) -> dict[str, Any]:
    """The inputs that the provider makes of an import: what it stores, as far as a program can set it."""
    return _settable(kind, "", {name: value for name, value in stored.items() if name != "nodePools"})


def _settable(kind: Kind, prefix: str, block: dict[str, Any]) -> dict[str, Any]:
    """What is left of a block without outputs and empty values.

    An empty value stays where the provider has another default, and where the block must have it: that of every node
    pool without Windows is ``windowsNodeConfig: {osversion: ""}`` (observed).
    """
    found: dict[str, Any] = {}
    for name, value in block.items():
        path = f"{prefix}{name}"
        change = kind.properties.get(path)
        if change is None or value is None:
            continue
        if isinstance(value, dict) and kind.is_block(path):
            inside = _settable(kind, f"{path}.", value)
            if inside:
                found[name] = inside
        elif value or change.default or (prefix and change.required and value is not None):
            found[name] = value
    return found
