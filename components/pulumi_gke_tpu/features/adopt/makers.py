"""Which tool made a node pool, by the marks in the catalog."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.against_plan.live import LivePool
from pulumi_gke_tpu.core.catalog.records.command_lines import Maker, Makers
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.resources.model import SourceFormat

UNKNOWN_MAKER = "gcloud or the console"
_OF_SOURCE = {
    SourceFormat.TERRAFORM_PLAN: "Terraform",
    SourceFormat.TERRAFORM_STATE: "Terraform",
    SourceFormat.PULUMI_STATE: "Pulumi",
}
"""The tool whose file has a node pool without a mark."""


def maker_of(pool: LivePool, makers: Makers) -> str:
    """The tool that made a node pool, according to its marks."""
    data = pool.raw.existing.data if pool.raw.existing is not None else None
    config = mapping(mapping(data).get("nodeConfig"))
    cluster = pool.place.name if pool.place is not None else ""
    found = next((maker.name for maker in makers.marks if _is_of(maker, pool.name, cluster, config)), "")
    return found or _OF_SOURCE.get(pool.raw.origin.source, UNKNOWN_MAKER)


def _is_of(maker: Maker, name: str, cluster: str, config: Mapping[str, Any]) -> bool:
    start = maker.pool.replace("{cluster}", cluster)
    rest = name.removeprefix(start) if start and name.startswith(start) else ""
    if rest and (not maker.numbered or (rest.isascii() and rest.isdecimal())):
        return True
    if set(maker.resource_labels) & set(_keys(config, "resourceLabels")):
        return True
    return bool(maker.node_labels) and set(maker.node_labels) <= set(_keys(config, "labels"))


def _keys(config: Mapping[str, Any], name: str) -> Iterator[str]:
    labels = config.get(name)
    return (key for key in labels if isinstance(key, str)) if isinstance(labels, dict) else iter(())
