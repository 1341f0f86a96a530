"""The disks of pods on TPU nodes: TPU741, TPU742, TPU758 and TPU869."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.objects import PodTemplate, is_open
from pulumi_gke_tpu.core.objects.scheduling import tolerates
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Replace, SetKeys, Severity, listed, number, quoted
from pulumi_gke_tpu.core.text.findings.suggestions import misspelled_choice
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.forms import LabeledFamily
from pulumi_gke_tpu.features.check.volumes import ClaimedDisk, Volumes

_READ_ONLY_MANY = "ReadOnlyMany"
_ONE_NODE = frozenset({"ReadWriteOnce", "ReadWriteOncePod"})
_CLAIM = """
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [MODES]
  storageClassName: CLASS
  resources: {requests: {storage: 100Gi}}
"""
_CLASS = """
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: data}
provisioner: pd.csi.storage.gke.io
volumeBindingMode: BINDING
parameters: {type: TYPE}
"""
_WITH_CLAIM = tpu_pod(spec="volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]").rstrip("\n")


def _example(disk: str, modes: str = "ReadWriteOnce", binding: str = "WaitForFirstConsumer") -> str:
    claim = _CLAIM.replace("MODES", modes).replace("CLASS", "data").rstrip("\n")
    return _WITH_CLAIM + claim + _CLASS.replace("TYPE", disk).replace("BINDING", binding).rstrip("\n")


@rule(
    "TPU741",
    title="Disk type that the TPU machines do not support",
    why="the disk cannot be attached to the node, so the Pod stays in ContainerCreating",
    fix="Use a StorageClass with a disk type of the machine family, and `volumeBindingMode: WaitForFirstConsumer`.",
    references=["gke-hyperdisk", "pd-csi-labels"],
    otherwise={Severity.WARNING: "if the claim has no storage class, or if the type requires confidential nodes"},
    failing=_example("pd-balanced"),
    passing=_example("hyperdisk-balanced"),
)
def unsupported_disk_type_of_claim(context: ManifestContext) -> Iterable[Hit]:
    for _, family, disk in _disks(context):
        facts = context.catalog.disks.families[family.name]
        if not disk.type or disk.type in facts.attach:
            continue
        confidential = disk.type in facts.confidential_only
        weaker = Severity.WARNING if confidential or disk.assumed else None
        what = f"the default class {quoted(disk.storage_class)}" if disk.assumed else f"{quoted(disk.type)}"
        types = "" if not disk.assumed else f" with {disk.type}"
        only = " without confidential nodes" if confidential else ""
        message = f"{what}{types} of the claim {quoted(disk.name)}"
        fact = facts.for_item(disk.type)
        hosts = f"nodes of {family.generation_name}{only}"
        yield Hit.unsupported(disk.path, message, hosts, fact=fact, severity=weaker, allowed=facts.attach)


def _disks(context: ManifestContext) -> Iterator[tuple[PodTemplate, LabeledFamily, ClaimedDisk]]:
    """The disks of pods with a known accelerator, each claim once for each machine family."""
    volumes = Volumes(context.objects, context.catalog.kubernetes.storage)
    seen: set[tuple[object, str]] = set()
    for pod in context.tpu_pods:
        family = context.shape(pod).family
        for disk in volumes.disks_of(pod) if family is not None else ():
            assert family is not None
            if (disk.path, family.name) not in seen:
                seen.add((disk.path, family.name))
                yield pod, family, disk


@rule(
    "TPU742",
    title="Disk that several hosts cannot share",
    why="a disk in the mode ReadWriteOnce is attached to one node, and of Hyperdisk only Hyperdisk ML is read by many",
    fix="Write the data once in ReadWriteOnce, and read it from Hyperdisk ML in ReadOnlyMany; or use Cloud Storage or "
    "Filestore.",
    references=["gke-hyperdisk"],
    failing=_example("hyperdisk-balanced", "ReadOnlyMany"),
    passing=_example("hyperdisk-ml", "ReadOnlyMany"),
)
def disk_for_several_hosts(context: ManifestContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.storage
    for pod, _, disk in _disks(context):
        place = (*disk.path[:-1], "accessModes")
        if (
            _READ_ONLY_MANY in disk.access_modes
            and disk.type.startswith(facts.built_in.hyperdisk)
            and disk.type not in facts.shared.types
        ):
            yield Hit.unsupported(
                place,
                f"{_READ_ONLY_MANY} of the claim {quoted(disk.name)}",
                quoted(disk.type),
                fact=facts.shared.for_item("types"),
            )
        hosts = context.shape(pod).hosts or 1
        if hosts > 1 and _for_one_node(disk):
            message = f"the Pods of {number(hosts, 'host')} share the claim {quoted(disk.name)} of one node"
            yield Hit(place, message, fact=facts.shared.for_item("types"))
    yield from _shared_by_templates(context)


def _for_one_node(disk: ClaimedDisk) -> bool:
    """Whether all pods use one disk that is attached to one node."""
    return not disk.own and bool(disk.type and disk.access_modes) and set(disk.access_modes) <= _ONE_NODE


def _shared_by_templates(context: ManifestContext) -> Iterator[Hit]:
    """The disks of one node that the pods of one object use on several: each pod with chips takes a whole host.

    Pods of different objects need not run at the same time. The pods of a slice of several hosts are found before.
    """
    volumes, fact = (
        Volumes(context.objects, context.catalog.kubernetes.storage),
        context.catalog.kubernetes.storage.shared,
    )
    for index in sorted(context.tpu_owners):
        users: dict[Path, list[tuple[PodTemplate, ClaimedDisk]]] = {}
        for pod in context.pods_by_owner[index]:
            for disk in volumes.disks_of(pod):
                if _for_one_node(disk):
                    users.setdefault(disk.path, []).append((pod, disk))
        for path, found in users.items():
            pods = [pod for pod, _ in found]
            if any((context.shape(pod).hosts or 1) > 1 for pod in pods):
                continue
            nodes = [_least_nodes(context, pod) for pod in pods]
            if sum(nodes) > 1:
                disk, owner = found[0][1], pods[0].owner
                roles = [
                    f"{number(count, 'pod')}{f' ({pod.role})' if pod.role else ''}"
                    for pod, count in zip(pods, nodes, strict=True)
                    if count
                ]
                message = f"{listed(roles)} of {owner.title} share the claim {quoted(disk.name)} of one node"
                yield Hit((*path[:-1], "accessModes"), message, fact=fact.for_item("types"))


def _least_nodes(context: ManifestContext, pod: PodTemplate) -> int:
    """The number of nodes that the pods of a template need for themselves, as far as it is known."""
    resource, taint = context.catalog.kubernetes.pods.resource.name, context.catalog.kubernetes.pods.taint
    chips = pod.chips(resource)
    if chips is None:
        return 0
    if chips:
        return 1 if pod.pods is None or pod.groups is None else pod.pods * pod.groups
    apart = pod.pods != 0 and pod.groups != 0 and not tolerates(pod, resource, taint.value, effect=taint.effect)
    return 1 if apart else 0


@warning(
    "TPU758",
    title="StorageClass that creates disks before the Pod has a node",
    why="a disk is in one zone, and with immediate binding this can be a zone without the slice",
    fix="Set `volumeBindingMode: WaitForFirstConsumer`.",
    references=["gke-hyperdisk", "google-skills-storage"],
    failing=_example("hyperdisk-balanced", binding="Immediate"),
    passing=_example("hyperdisk-balanced"),
)
def disk_before_the_pod(context: ManifestContext) -> Iterable[Hit]:
    facts, reported = context.catalog.kubernetes.storage, set[int]()
    for _, _, disk in _disks(context):
        found = disk.defined_by
        if found is None or found.index in reported or found.data.get("provisioner") != facts.classes.provisioner:
            continue
        if found.data.get("volumeBindingMode", "Immediate") == "Immediate":
            reported.add(found.index)
            message = f"the StorageClass {quoted(found.name)} binds claims at once"
            fix = SetKeys.of(volumeBindingMode=facts.built_in.wait_for_consumer)
            yield Hit(
                found.at("volumeBindingMode"), message, fact=facts.built_in.for_item("wait_for_consumer"), fix=fix
            )


@warning(
    "TPU869",
    title="Claim or StorageClass that is spelled otherwise where it is defined",
    why="a Pod with an unknown claim stays Pending, and so does a claim with an unknown StorageClass",
    fix="Correct the name.",
    source="Kubernetes: references of volumes and claims",
    failing=_example("hyperdisk-balanced").replace("claimName: data", "claimName: date"),
    passing=_example("hyperdisk-balanced"),
)
def misspelled_storage_name(context: ManifestContext) -> Iterable[Hit]:
    """Only names that resemble one in the files, or a class of GKE: others can be in the cluster."""
    volumes, classes = (
        Volumes(context.objects, context.catalog.kubernetes.storage),
        context.catalog.kubernetes.storage.built_in.classes,
    )
    seen: set[Path] = set()
    for pod in context.tpu_pods:
        for path, name in volumes.claims_of(pod):
            near = misspelled_choice(name, volumes.claims_in(pod.owner.namespace))
            if near is not None and not is_open(name):
                yield Hit.unknown(pod.hit_path(path), "claim", name, allowed=(near,), fix=Replace.value(near))
        for disk in volumes.disks_of(pod):
            known = (*volumes.classes, *classes)
            if disk.path in seen or disk.storage_class in known or is_open(disk.storage_class):
                continue
            seen.add(disk.path)
            near = misspelled_choice(disk.storage_class, known) if disk.storage_class else None
            if near is not None:
                what, fix = "StorageClass", Replace.value(near)
                yield Hit.unknown(disk.path, what, disk.storage_class, allowed=(near,), fix=fix)
