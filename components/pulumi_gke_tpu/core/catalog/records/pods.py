"""Facts of pods on TPU nodes: what they request, select and tolerate, and what GKE does with them."""

from pulumi_gke_tpu.core.catalog.records.facts import Fact, Record, record


@record
class TpuResource(Fact):
    """The extended resource of TPU chips, and others that pods request by mistake. A ``*`` stands for any text."""

    name: str
    gpus: tuple[str, ...]
    former: tuple[str, ...]
    misspelt: tuple[str, ...]


@record
class TpuTaint(Fact):
    """The taint of TPU nodes; its key is the name of the resource."""

    value: str
    effect: str


@record
class IndexedPods(Fact):
    """What pods of a slice with several hosts need, so that GKE can number them."""

    completion_mode: str


@record
class SliceVariables(Fact):
    """Environment variables that GKE sets: on every TPU pod with an index, and on those of several slices."""

    always: tuple[str, ...]
    multislice: tuple[str, ...]


@record
class GracePeriod(Fact):
    """The grace period that GKE grants to pods on TPU nodes, in seconds."""

    max_seconds: int
    """At maintenance and upgrades."""
    spot_seconds: int
    """At the preemption of Spot nodes."""
    default_seconds: int
    """That of a pod that states none."""
    repair_seconds: int
    """At a repair and after a host error."""


@record
class AutopilotRefusals(Fact):
    """What Autopilot rejects in pods."""

    host_namespaces: tuple[str, ...]
    readable_host_paths: tuple[str, ...]


@record
class DynamicSlices(Fact):
    """Labels and an annotation of pods on parts of a slice, or on slices that a controller forms."""

    labels: tuple[str, ...]
    annotation: str
    parts: tuple[str, ...]
    """Topologies inside one cube."""
    cube: int
    """Chips along one edge of the cubes that larger slices consist of; their dimensions do not decrease."""
    most_chips: int


@record
class SelectableLabels(Fact):
    """Node labels of GKE that pods select."""

    known: tuple[str, ...]
    of_gpus: str
    """The label with the accelerator of a GPU node, which no TPU node has."""


@record
class NodeAffinity(Fact):
    """What GKE accepts in the affinity of Pods with chips to nodes."""

    topologies: int
    """How many topologies it can name."""


@record
class HostName(Fact):
    """The labels with the name of a node, its machine type, its zone and its region."""

    label: str
    machine_type_label: str
    zone_label: str
    region_label: str


@record
class Pods(Record):
    """Pods on TPU nodes."""

    resource: TpuResource
    taint: TpuTaint
    indexed: IndexedPods
    variables: SliceVariables
    grace: GracePeriod
    refused_on_autopilot: AutopilotRefusals
    host_name: HostName
    dynamic_slices: DynamicSlices
    affinity: NodeAffinity
    beside_class: Fact
    """The labels of accelerator and topology beside the selector of a ComputeClass."""
    labels: SelectableLabels
