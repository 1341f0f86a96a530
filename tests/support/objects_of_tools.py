"""The same resources as Kubernetes objects of tools that keep them in sync: Config Connector and Crossplane."""

import json
from collections.abc import Iterable
from typing import Any

from support.foreign_files import Made, Properties, attributes

from pulumi_gke_tpu.core.catalog.spelling import camel_case
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL, RESOURCE_POLICY

_CONNECTOR = {CLUSTER: "ContainerCluster", NODE_POOL: "ContainerNodePool"}
_CROSSPLANE = {CLUSTER: "Cluster", NODE_POOL: "NodePool", RESOURCE_POLICY: "ResourcePolicy"}


def config_connector(resources: Iterable[Made]) -> bytes:
    """A list of objects of Config Connector, which has no boot disk of its own."""
    return _list(_connected(*made) for made in resources)


def crossplane_lists(resources: Iterable[Made]) -> bytes:
    """A list of objects of Crossplane in the version whose blocks are lists, of the kinds that are read."""
    known = (made for made in resources if made[0] in _CROSSPLANE)
    return _list(_composed(*made, "container.gcp.upbound.io/v1beta1", lists=True) for made in known)


def crossplane_mappings(resources: Iterable[Made]) -> bytes:
    """A list of objects of Crossplane in the version whose blocks are mappings."""
    return _list(_composed(*made, "container.gcp.upbound.io/v1beta2", lists=False) for made in resources)


def namespaced_crossplane(resources: Iterable[Made]) -> bytes:
    """A list of objects of Crossplane in a namespace."""
    return _list(_composed(*made, "container.gcp.m.upbound.io/v1beta1", lists=False) for made in resources)


def _list(objects: Iterable[Properties]) -> bytes:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}, indent=2).encode()


def _connected(token: str, name: str, values: Properties) -> Properties:
    spec = _camel(attributes(token, values), lists=False)
    disk = spec.get("nodeConfig", {}).pop("bootDisk", {})
    for own, old in (("diskType", "diskType"), ("sizeGb", "diskSizeGb")):
        if own in disk:
            spec["nodeConfig"].setdefault(old, disk[own])
    if "cluster" in spec:
        spec["clusterRef"] = {"external": spec.pop("cluster")}
    spec["resourceID"] = spec.pop("name", name)
    spec.pop("ignoreNodeCountChanges", None)
    version = "container.cnrm.cloud.google.com/v1beta1"
    return {"apiVersion": version, "kind": _CONNECTOR[token], "metadata": {"name": name}, "spec": spec}


def _composed(token: str, name: str, values: Properties, version: str, *, lists: bool) -> Properties:
    wanted = _camel(attributes(token, values), lists=lists)
    metadata: Properties = {"name": name}
    if "name" in wanted:
        metadata["annotations"] = {"crossplane.io/external-name": wanted.pop("name")}
    if token == RESOURCE_POLICY:
        version = version.replace("container", "compute")
    return {"apiVersion": version, "kind": _CROSSPLANE[token], "metadata": metadata, "spec": {"forProvider": wanted}}


def _camel(value: Any, *, lists: bool) -> Any:
    """Attributes of Terraform in camelCase. Without ``lists``, a block is a mapping."""
    if isinstance(value, dict):
        return {camel_case(key): _camel(item, lists=lists) for key, item in value.items()}
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict) and not lists:
        return _camel(value[0], lists=lists)
    return [_camel(item, lists=lists) for item in value] if isinstance(value, list) else value
