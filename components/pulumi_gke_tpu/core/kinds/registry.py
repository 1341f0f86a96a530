"""Finds the modules of kinds by the names of their files, so that nothing lists them."""

import functools
import importlib
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.kind import Kind, Written
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.modules import names_in
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.text.findings import Path

WRITTEN = "pulumi_gke_tpu.core.kinds.written"
READ = "pulumi_gke_tpu.core.kinds.read"


@functools.cache
def all_kinds() -> Mapping[tuple[str, str], Kind]:
    """Every kind by its API group and name."""
    kinds = (_kind(package, name) for package in (READ, WRITTEN) for name in names_in(package))
    return {(kind.group, kind.name): kind for kind in kinds}


def kind_of(owner: KubernetesObject) -> Kind | None:
    """The kind of an object; None if gke-tpu does not know where its Pods are, or if it has none."""
    return all_kinds().get((owner.group, owner.kind))


def kind_of_manifest(item: Manifest) -> Kind | None:
    """The kind of an object of a plan; None if it has no Pods."""
    group = item.object["apiVersion"].rpartition("/")[0]
    return all_kinds().get((group, item.kind))


def queue_at(owner: KubernetesObject) -> Path:
    """The path of the labels in which Kueue reads the queue of an object, or of the Jobs that it creates."""
    kind = kind_of(owner)
    return kind.queue_at if kind is not None else ("metadata", "labels")


def queue_labels(owner: KubernetesObject) -> dict[str, Any]:
    """The labels in which Kueue reads the queue of an object."""
    return mapping(owner.value(*queue_at(owner)))


def pod_templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
    """The Pod templates of an object; none if its kind is not known."""
    kind = kind_of(owner)
    return kind.templates(owner) if kind is not None else iter(())


@functools.cache
def written_kinds() -> Mapping[str, Written]:
    """The kinds that a plan can name, by their words in the plan, in alphabetical order."""
    return {word: _written(word) for word in names_in(WRITTEN)}


def has_head(workload: Workload) -> bool:
    """Whether a Pod without chips is part of a workload."""
    kind = written_kind(workload)
    return kind.head is not None and (kind.always_has_head or workload.plan.head is not None)


def head_has_volumes(workload: Workload) -> bool:
    """Whether the head mounts the volumes of its workload: a head without a program has nothing that reads them."""
    servers = workload.plan.pathways
    return has_head(workload) and not (servers is not None and servers.headless)


def written_kind(workload: Workload) -> Written:
    """What gke-tpu writes for a workload of a plan. Only the module of its kind is imported."""
    return _written(workload.plan.kind)


def _written(word: str) -> Written:
    written = _kind(WRITTEN, word).written
    assert written is not None, f"the module {word} states what gke-tpu writes"
    return written


def _kind(package: str, name: str) -> Kind:
    kind: Kind = importlib.import_module(f"{package}.{name}").KIND
    return kind
