"""Fingerprints of the tools that make node pools, as data."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.against_plan.live import LivePool
from pulumi_gke_tpu.core.frozen import frozen


@frozen
class Maker:
    """A tool, and what its node pools have: any one of the marks identifies it."""

    name: str
    pool: str = ""
    """A pattern of names of node pools; ``{cluster}`` stands for the name of the cluster."""
    resource_label: str = ""
    """A pattern of keys of ``nodeConfig.resourceLabels``."""
    node_labels: tuple[str, ...] = ()
    """Keys of ``nodeConfig.labels``, all of which must be there."""
    autoprovisioned: bool = False


MAKERS = (
    Maker("node auto-provisioning", pool=r"nap-.*", autoprovisioned=True),
    Maker("Cluster Toolkit", resource_label=r"ghpc_(?:module|role|deployment|blueprint)"),
    Maker("terraform-google-kubernetes-engine", node_labels=("cluster_name", "node_pool")),
    Maker("xpk", pool=r"{cluster}-np-\d+"),
    Maker("Pulumi", resource_label=r"goog-pulumi-provisioned"),
    Maker("Terraform", resource_label=r"goog-terraform-provisioned"),
)
"""In this order: a module of Terraform leaves the marks of Terraform, too."""
UNKNOWN_MAKER = "gcloud or the console"


def maker_of(pool: LivePool) -> str:
    """The tool that made a node pool, according to its marks."""
    data = pool.raw.existing.data if pool.raw.existing is not None else None
    values = data if isinstance(data, dict) else {}
    config = values.get("nodeConfig")
    config = config if isinstance(config, dict) else {}
    cluster = pool.place.name if pool.place is not None else ""
    found = next((maker.name for maker in MAKERS if _is_of(maker, pool.name, cluster, values, config)), "")
    return found or ("Terraform" if pool.raw.origin.source.is_terraform else UNKNOWN_MAKER)


def _is_of(maker: Maker, name: str, cluster: str, values: Mapping[str, Any], config: Mapping[str, Any]) -> bool:
    scaling = values.get("autoscaling")
    if maker.autoprovisioned and isinstance(scaling, dict) and scaling.get("autoprovisioned") is True:
        return True
    if maker.pool and re.fullmatch(maker.pool.replace("{cluster}", re.escape(cluster)), name):
        return True
    if maker.resource_label and any(re.fullmatch(maker.resource_label, key) for key in _keys(config, "resourceLabels")):
        return True
    return bool(maker.node_labels) and set(maker.node_labels) <= set(_keys(config, "labels"))


def _keys(config: Mapping[str, Any], name: str) -> Iterator[str]:
    labels = config.get(name)
    return (key for key in labels if isinstance(key, str)) if isinstance(labels, dict) else iter(())
