"""Whether Kubernetes objects still are what a plan renders."""

from collections.abc import Sequence

from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.features.adopt.objects.comparison import comparison_beside
from pulumi_gke_tpu.features.adopt.objects.given import assigned, identity_of, title_of
from pulumi_gke_tpu.features.adopt.objects.rendering import EXAMPLES


@frozen
class ComparedObjects:
    """The objects of a plan, compared with those that were read. Objects that the plan does not have do not count."""

    same: int
    different: tuple[str, ...]
    """Each with its first difference."""
    missing: tuple[str, ...]
    """In the plan only."""
    unassigned: int
    """Those that can belong to any of several clusters."""

    @property
    def differs(self) -> bool:
        """Whether applying the objects of the plan would change or create any."""
        return bool(self.different or self.missing)


def compare_objects(objects: Sequence[KubernetesObject], checked: CheckedPlan) -> ComparedObjects:
    """Compare the objects of each cluster of a plan for which there are any."""
    assert checked.fleet is not None
    clusters = {str(item.path[-1]): item for item in checked.fleet.clusters}
    found = assigned(objects, list(clusters), one=len(clusters) == 1)
    same = 0
    different: list[str] = []
    missing: list[str] = []
    for key, given in found.objects.items():
        used = {one.namespace for one in given.by_identity.values()}
        comparison = comparison_beside(given.by_identity.values(), checked.catalog)
        for item in manifests(clusters[key], checked.catalog):
            if item.concern == EXAMPLES:
                continue
            live = given.by_identity.get(identity_of(item))
            difference = next(iter(comparison.differences(live.data, item.object)), None) if live is not None else None
            name = f"{key}: {title_of(item)}"
            if live is None and item.concern == "namespaces" and item.name in used:
                continue  # it exists, since objects are in it
            if live is None:
                missing.append(name)
            elif difference is not None:
                different.append(f"{name}: {difference.text}")
            else:
                same += 1
    return ComparedObjects(same, tuple(different), tuple(missing), len(found.unassigned))
