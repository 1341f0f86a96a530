"""The clusters that manifests are for, if a plan has several of them.

``gke-tpu manifests -o DIR`` writes the objects of each cluster into a folder with the key of the cluster. So the files
in such a folder, and a file with this name, are for this cluster. Other files are for any of the clusters.
"""

import posixpath
from collections.abc import Collection, Iterator, Sequence

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import KubernetesObject


@frozen(eq=False)
class ClusterObjects:
    """Objects that are checked together, and the clusters that they are for; None for all clusters of the plan.

    ``reported`` are the indexes of the objects that findings are about: the others are only known to them.
    """

    objects: tuple[KubernetesObject, ...]
    clusters: frozenset[str] | None
    reported: frozenset[int]


def by_cluster(objects: Sequence[KubernetesObject], keys: Collection[str]) -> Iterator[ClusterObjects]:
    """The objects of each cluster with those of every cluster, then the latter alone; all together without folders."""
    names = {owner.file.name for owner in objects}
    of_file = {name: _cluster_of(name, keys) for name in names} if len(keys) > 1 else {}
    for key in keys if any(of_file.values()) else ():
        own = frozenset(owner.index for owner in objects if of_file[owner.file.name] == key)
        if own:
            members = tuple(owner for owner in objects if of_file[owner.file.name] in (key, ""))
            yield ClusterObjects(members, frozenset({key}), own)
    common = frozenset(owner.index for owner in objects if not of_file.get(owner.file.name))
    if common or not objects:
        yield ClusterObjects(tuple(objects), None, common)


def _cluster_of(name: str, keys: Collection[str]) -> str:
    """The cluster of a file: the name of its folder, or its own; empty if it is for any cluster."""
    folder, file = posixpath.split(name.replace("\\", "/"))
    places = (posixpath.basename(folder), posixpath.splitext(file)[0])
    return next((place for place in places if place in keys), "")
