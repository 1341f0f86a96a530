"""The disks that pods use by claims: the claim, its storage class and its disk type, as far as the files state them."""

from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog.records.workloads import Storage
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds import kind_of
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.text.findings import Path

_GROUP = "storage.k8s.io"
_DEFAULT = "default"


@frozen
class ClaimedDisk:
    """A claim of a pod template, with its disk.

    ``path`` is the path, for a hit, of the storage class in the claim. ``type`` is empty if it is unknown. ``assumed``
    is whether the type is that of the default class of GKE, which a cluster can change.
    """

    owner: KubernetesObject
    name: str
    path: Path
    claim: dict[str, Any]
    storage_class: str
    defined_by: KubernetesObject | None
    type: str
    assumed: bool = False
    own: bool = False
    """Whether each pod has a claim of its own."""

    @property
    def access_modes(self) -> tuple[str, ...]:
        """The access modes of the claim that are known."""
        return tuple(mode for mode in items(self.claim.get("accessModes")) if isinstance(mode, str))


class Volumes:
    """The claims and storage classes of some objects."""

    def __init__(self, objects: tuple[KubernetesObject, ...], facts: Storage) -> None:
        self._facts = facts
        self._claims = {
            (found.namespace or _DEFAULT, found.name): found for found in objects if found.is_a("PersistentVolumeClaim")
        }
        self._classes = {found.name: found for found in objects if found.is_a("StorageClass", _GROUP)}

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the storage classes of the files."""
        return tuple(self._classes)

    def claims_in(self, namespace: str) -> tuple[str, ...]:
        """The names of the claims in a namespace."""
        return tuple(name for place, name in self._claims if place == (namespace or _DEFAULT))

    def claims_of(self, pod: PodTemplate) -> Iterator[tuple[Path, str]]:
        """The claims that pods name and that no file defines, with their paths in the object."""
        for index, volume in enumerate(items(pod.spec.get("volumes"))):
            name = text(mapping(mapping(volume).get("persistentVolumeClaim")).get("claimName"))
            if name and (pod.owner.namespace or _DEFAULT, name) not in self._claims:
                yield (*pod.path, "spec", "volumes", index, "persistentVolumeClaim", "claimName"), name

    def disks_of(self, pod: PodTemplate) -> Iterator[ClaimedDisk]:
        """The disks of a pod template: by claims in the files, and by templates of claims."""
        namespace = pod.owner.namespace or _DEFAULT
        for index, volume in enumerate(items(pod.spec.get("volumes"))):
            entry = mapping(volume)
            name = text(mapping(entry.get("persistentVolumeClaim")).get("claimName"))
            found = self._claims.get((namespace, name))
            if found is not None:
                yield self._disk(found, name, ("spec",), found.spec)
            ephemeral = mapping(mapping(mapping(entry.get("ephemeral")).get("volumeClaimTemplate")).get("spec"))
            if ephemeral:
                path = (*pod.path, "spec", "volumes", index, "ephemeral", "volumeClaimTemplate", "spec")
                yield self._disk(pod.owner, text(entry.get("name")), path, ephemeral, own=True)
        kind = kind_of(pod.owner)
        if kind is not None and kind.claims:
            for index, template in enumerate(items(pod.owner.value(*kind.claims))):
                claim = mapping(mapping(template).get("spec"))
                name = text(mapping(mapping(template).get("metadata")).get("name"))
                yield self._disk(pod.owner, name, (*kind.claims, index, "spec"), claim, own=True)

    def _disk(
        self, owner: KubernetesObject, name: str, path: Path, claim: dict[str, Any], *, own: bool = False
    ) -> ClaimedDisk:
        written = claim.get("storageClassName")
        assumed = written is None and not claim.get("volumeName")
        name_of_class = self._facts.built_in.default_class if assumed else text(written)
        defined = self._classes.get(name_of_class)
        found = (
            "" if is_open(name_of_class) or (assumed and self._has_default()) else self._type(name_of_class, defined)
        )
        place = owner.at(*path, "storageClassName")
        return ClaimedDisk(owner, name, place, claim, name_of_class, defined, found, assumed, own)

    def _type(self, name: str, defined: KubernetesObject | None) -> str:
        """The disk type of a storage class; empty if it is unknown or stands for several."""
        if defined is None:
            return self._facts.built_in.classes.get(name, "")
        if defined.data.get("provisioner") != self._facts.classes.provisioner:
            return ""
        found = mapping(defined.data.get("parameters")).get("type", self._facts.built_in.classes["standard"])
        known = isinstance(found, str) and not is_open(found) and found not in self._facts.built_in.other_types
        return found if known else ""

    def _has_default(self) -> bool:
        """Whether the files mark a storage class as the default one."""
        key = "storageclass.kubernetes.io/is-default-class"
        return any(found.annotations.get(key) == "true" for found in self._classes.values())
