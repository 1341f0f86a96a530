"""The clusters that manifests are for, if a plan has several of them.

``gke-tpu manifests -o DIR`` writes the objects of each cluster into a folder with the key of the cluster. So the files
in such a folder and in the folders below it, and a file with this name, are for this cluster. Other files are for any
of the clusters.
"""

import posixpath
from collections.abc import Collection, Iterator, Sequence

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects.document import KubernetesObject


@frozen(eq=False)
class ClusterObjects:
    """Objects that are checked together, and the clusters that they are for; None for all clusters of the plan.

    ``reported`` are the indexes of the objects that findings are about: the others are only known to them.
    """

    objects: tuple[KubernetesObject, ...]
    clusters: frozenset[str] | None
    reported: frozenset[int]


def by_cluster(
    objects: Sequence[KubernetesObject], keys: Collection[str], around: int | None = None
) -> Iterator[ClusterObjects]:
    """The objects of each cluster with those of every cluster, then the latter alone; all together without folders.

    ``around`` is the number of folders around all files, if there are others than those of the objects.
    """
    names = {owner.file.name for owner in objects}
    around = common_folders(names) if around is None else around
    of_file = {name: _cluster_of(name, keys, around) for name in names} if len(keys) > 1 else {}
    for key in keys if any(of_file.values()) else ():
        own = frozenset(owner.index for owner in objects if of_file[owner.file.name] == key)
        if own:
            members = tuple(owner for owner in objects if of_file[owner.file.name] in (key, ""))
            yield ClusterObjects(members, frozenset({key}), own)
    common = frozenset(owner.index for owner in objects if not of_file.get(owner.file.name))
    if common or not objects:
        yield ClusterObjects(tuple(objects), None, common)


def _cluster_of(name: str, keys: Collection[str], around: int) -> str:
    """The cluster of a file: the name of its folder, or its own, or that of a folder around; empty if there is none.

    The first folders, ``around`` of them, are around all files, and tell nothing: users have folders of any name.
    """
    *folders, file = _steps(name)
    below = folders[around:-1]
    places = (*folders[-1:], posixpath.splitext(file)[0], *reversed(below))
    return next((place for place in places if place in keys), "")


def common_folders(names: Collection[str]) -> int:
    """The number of folders that all files are in, one in the other."""
    return len(posixpath.commonprefix([_steps(name)[:-1] for name in names])) if names else 0


def _steps(name: str) -> list[str]:
    return name.replace("\\", "/").split("/")
