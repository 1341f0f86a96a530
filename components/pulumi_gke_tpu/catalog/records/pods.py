"""Facts of pods on TPU nodes: what they request, select and tolerate."""

from pulumi_gke_tpu.catalog.records.facts import Fact, Record, record


@record
class TpuResource(Fact):
    """The extended resource of TPU chips."""

    name: str
    others: tuple[str, ...]
    """Resources of other accelerators, and former ones, that pods request by mistake. A ``*`` stands for any text."""


@record
class TpuTaint(Fact):
    """The taint of TPU nodes; its key is the name of the resource."""

    value: str
    effect: str


@record
class Pods(Record):
    """Pods on TPU nodes."""

    resource: TpuResource
    taint: TpuTaint
