"""What a module states about its kind: how to read it in manifests, and what gke-tpu writes for it."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field
from typing import Any, Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Fact
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate
from pulumi_gke_tpu.core.objects.names import NameForm
from pulumi_gke_tpu.core.text.findings import Path

LONGEST_NAME = 63
"""Characters of a label value, and of the name of a Service."""


def longer_than(longest: int, owner: KubernetesObject, fact: Fact) -> Iterator[tuple[str, Fact]]:
    """Why a name has more characters than its kind allows, with the fact."""
    if len(owner.name) > longest:
        yield f"{len(owner.name)} characters, and {longest} are allowed", fact


def no_long_names(_: KubernetesObject, __: Catalog) -> Iterator[tuple[str, Fact]]:
    """None: every valid name is short enough."""
    return iter(())


def no_slices(_: KubernetesObject) -> Iterator[tuple[str, str]]:
    """None: every Pod has a template in the object."""
    return iter(())


def own_name(workload: Workload) -> str:
    """The name of the workload: the operator shortens longer names of Pods."""
    return workload.name


def no_second_set(_: Workload) -> str:
    """None: all Pods with chips have the same template."""
    return ""


def no_controller(_: Workload) -> str:
    """None: the controllers of Kubernetes suffice."""
    return ""


def any_label(_: Workload, __: Catalog) -> tuple[int, Fact | None]:
    """The length of a label, which is that of names of Pods and Services."""
    return LONGEST_NAME, None


def no_endpoint(_: Workload, __: Catalog) -> "Endpoint | None":
    """None: clients have no address for the Pods."""
    return None


@frozen
class Endpoint:
    """Where clients reach the servers of a workload."""

    service: str
    """The name of the Service, in the namespace of the workload."""
    port: int
    """The port of the Service, and of the container."""
    selector: Mapping[str, str] = field(default_factory=dict)
    """Labels of the Pods that answer; empty if an operator chooses them."""


@frozen
class HeadNeeds:
    """The smallest machine for a Pod without chips."""

    vcpus: int
    memory_gib: int
    fact: Fact


@frozen
class Written:
    """A kind that a plan can name: what gke-tpu writes for a workload, and what its keys can say.

    The name of its module is the word in the plan.
    """

    objects: Callable[[Workload, Catalog], Iterator[Manifest]]
    title: str
    """What messages call it: ``a Deployment``, ``Pathways``."""
    keys: tuple[str, ...] = ()
    """Keys of a workload that only some kinds have: ``head``, ``max_restarts``, ``port``, ``scratch``."""
    head: Callable[[Workload, Catalog], dict[str, Any]] | None = None
    """The template of the Pod without chips of a workload that has one; None if no workload has one."""
    always_has_head: bool = False
    """Whether a Pod without chips is part of every workload, not only of those with the key ``head``."""
    head_needs: Callable[[Catalog], HeadNeeds] | None = None
    """The smallest machine for the head; None if every machine fits."""
    multi_host: bool = True
    """Whether its Pods can form a slice of several hosts."""
    multislice: bool = False
    """Whether the Pods of all slices are one job."""
    on_cubes: Literal["no", "one", "several"] = "no"
    """Whether the slice controller for Kueue makes its slices, of one cube at most or of several."""
    slices_apart: bool = False
    """Whether Kueue admits each slice on its own, so that the slices can be in several slice groups."""
    kueue_owns_selector: bool = False
    """Whether Kueue writes the labels of a flavor into the node selector of its Pod template, which no list without
    keys contains."""
    generations: Callable[[Catalog], Collection[str]] | None = None
    """The only generations that it supports; None if it supports all."""
    instead: str = ""
    """The kind for slices that this one does not support."""
    unpublished_on_autopilot: bool = False
    """Whether its publishers have no form for Autopilot."""
    second_set: Callable[[Workload], str] = no_second_set
    """The key of a workload that splits its Pods with chips into two sets of Kueue; empty if they are one set."""
    controller: Callable[[Workload], str] = no_controller
    """The API group of the operator that a workload needs; empty if Kubernetes suffices."""
    endpoint: Callable[[Workload, Catalog], Endpoint | None] = no_endpoint
    """Where clients reach the servers of a workload; None without a port."""
    addon: Callable[[Catalog], str] | None = None
    """The add-on of GKE that installs its operator."""
    affinity_by_webhook: bool = False
    """Whether a webhook gives the Pods of a slice with several hosts affinity to each other."""
    fact: Callable[[Catalog], Fact] | None = None
    """What the catalog states about its Pods."""
    pod_name: Callable[[Workload], str] = own_name
    """The longest name of a Pod of a workload, or a text of its length: a suffix is random."""
    longest_name: Callable[[Workload, Catalog], tuple[int, Fact | None]] = any_label
    """The length of the longest name of a workload, and the fact that limits it."""

    def fact_in(self, catalog: Catalog) -> Fact | None:
        """What the catalog states about its Pods; None if it states nothing."""
        return self.fact(catalog) if self.fact is not None else None


@frozen
class NamedLists:
    """Lists of an object whose entries share their names."""

    keys: Mapping[str, str]
    """The keys of the lists, with what an entry is; empty if its name has no form of Kubernetes."""
    name: str = "name"
    """The key of the name."""


@frozen
class RollingUpdate:
    """How a controller replaces the pods of an object when their template changes."""

    path: Path
    """Where the object has the limits of an update."""
    surge: str
    unavailable: str
    """The defaults of ``maxSurge`` and ``maxUnavailable``."""
    of: Literal["pods", "groups"]
    """What the limits count."""
    always_waits: bool
    """Whether the controller waits for all additional replicas, also if it can delete others at once."""


@frozen
class Kind:
    """A kind of object with Pod templates."""

    group: str
    """The API group; empty for the core group."""
    name: str
    templates: Callable[[KubernetesObject], Iterator[PodTemplate]]
    """Finds the Pod templates of an object, with the number of their Pods."""
    custom: bool = False
    """Whether an operator defines the kind. A patch of such an object replaces lists as a whole, so that the
    containers in it are complete."""
    whole: tuple[Path, ...] = ()
    """Paths of a complete object: an object with all of them is not a Kustomize patch. ``TEMPLATE`` begins a path in
    the Pod template."""
    named_lists: Mapping[str, tuple[NamedLists, ...]] = field(default_factory=dict)
    """The lists of entries with names of their own, by the place of the mapping that has them."""
    name_form: NameForm = "subdomain"
    """The form of the name of an object."""
    claims: Path = ()
    """Templates of claims, of which each Pod has its own."""
    fixed_pods: bool = False
    """Whether the API server rejects changes of the Pod templates."""
    keeps_pods: bool = False
    """Whether the Pods that run stay as they are when the object is updated."""
    rolling_update: RollingUpdate | None = None
    exclusive_topology: Callable[[Catalog], tuple[str, Fact]] | None = None
    """The annotation that gives each slice a topology domain of its own."""
    long_names: Callable[[KubernetesObject, Catalog], Iterator[tuple[str, Fact]]] = no_long_names
    """Why the name of an object is too long for the objects that the controller makes, with the fact."""
    operator_slices: Callable[[KubernetesObject], Iterator[tuple[str, str]]] = no_slices
    """Machine type and topology of slices whose Pods the operator makes without a template in the object."""
    queue_at: Path = ("metadata", "labels")
    """The labels in which Kueue reads the queue of what it admits."""
    only_for_requests: bool = False
    """Whether the object creates no Pods: a ProvisioningRequest names it."""
    written: Written | None = None
    """What gke-tpu writes for a workload of this kind; None if it only reads the kind in manifests."""
