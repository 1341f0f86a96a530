"""The objects that gke-tpu writes for a plan now, to compare those with that it wrote before."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.workloads import Workload, kubernetes_objects
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds import kind_of, pod_templates
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate
from pulumi_gke_tpu.core.text.yamlfile import YamlFile

_PLAN = YamlFile.empty("plan")


@frozen(eq=False)
class PlannedWorkload:
    """A workload of the plan, with its object and the Pod templates in it."""

    workload: Workload
    owner: KubernetesObject
    pods: tuple[PodTemplate, ...]


class PlannedObjects:
    """Every object that gke-tpu writes for some clusters of a plan without errors."""

    def __init__(self, clusters: Iterable[Cluster], catalog: Catalog) -> None:
        self._objects: dict[tuple[str, str, str], list[KubernetesObject]] = {}
        self._workloads: dict[str, list[PlannedWorkload]] = {}
        for cluster in clusters:
            objects = kubernetes_objects(cluster)
            workloads = {item.path: item for item in objects.workloads} if objects is not None else {}
            for item in manifests(cluster, catalog):
                owner = KubernetesObject(0, _PLAN, (), item.object, str(item.object["apiVersion"]), item.kind)
                self._objects.setdefault((owner.group, owner.kind, owner.name), []).append(owner)
                workload = workloads.get(item.path)
                if workload is not None and kind_of(owner) is not None:
                    planned = PlannedWorkload(workload, owner, tuple(pod_templates(owner)))
                    self._workloads.setdefault(owner.name, []).append(planned)

    def named(self, owner: KubernetesObject) -> tuple[KubernetesObject, ...]:
        """The objects with the kind and name of an object of a file, in any namespace; one for each cluster."""
        return tuple(self._objects.get((owner.group, owner.kind, owner.name), ()))

    def same(self, owner: KubernetesObject) -> tuple[KubernetesObject, ...]:
        """The same, in the namespace of the object."""
        return tuple(planned for planned in self.named(owner) if planned.may_share_namespace(owner))

    def workloads(self, name: str) -> tuple[PlannedWorkload, ...]:
        """The workloads with a name, of any kind."""
        return tuple(self._workloads.get(name, ()))
