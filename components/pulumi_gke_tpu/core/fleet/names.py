"""Names of resources, complete for Pulumi and truncated for GKE, and renames without a ``moved`` entry."""

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING, TypeVar

from pulumi_gke_tpu.core.fleet.model import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.pairs import ClusterPair, GroupPair
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import PlanModel

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.entries import Move

POOL_NAME_LIMIT = 40
POLICY_NAME_LIMIT = 63
NETWORK_NAME_LIMIT = 63
LABEL_VALUE_LIMIT = 63
"""The longest value of a Kubernetes label."""
_ACCOUNT_NAME_LIMIT = 15


def shortened(name: str, limit: int) -> str:
    """The name if it has at most ``limit`` characters; otherwise its beginning and a hash of the full name."""
    return name if len(name) <= limit else f"{name[: limit - 9].rstrip('-')}-{_hash(name)}"


def compute_class_name(group: str) -> str:
    """The name of the ComputeClass of a slice group, which Pods select as the value of a label.

    With the prefix, it is neither ``default``, which is the class of Pods without a class, nor does it begin with a
    word that GKE reserves.
    """
    return shortened(f"tpu-{group}", LABEL_VALUE_LIMIT)


def account_id(project: str, cluster: str, location: str, key: str = "", inside: Sequence[str] = ()) -> str:
    """The ID of a node service account: 6 to 30 characters, unique within the project.

    ``key`` distinguishes accounts for the same cluster; ``inside`` is the path of a part of the cluster.
    """
    readable = (cluster, *inside)[-1][:_ACCOUNT_NAME_LIMIT].rstrip("-")
    whole = (project, location, cluster, *((key,) if key else ()), *inside)
    return f"gke-{readable}-{_hash('/'.join(whole))}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


_Item = TypeVar("_Item", Cluster, SliceGroup)

_BY_SHAPE = frozenset({"tpu", "topology", "chips", "chips_per_host", "machine_type", "zone"})
_COUNT = frozenset({"count", "min", "max", "indices"})
_IN_PLACE = frozenset(
    {"boot_disk", "maintenance", "name", "node_labels", "protect", "resource_labels", "taints", "timeouts", "upgrade"}
)
"""Keys of a group that an update changes without replacing its node pools."""
_NOT_FIXED = _BY_SHAPE | _COUNT | _IN_PLACE
_OF_A_CLUSTER = frozenset({"name", "slices"})
"""Keys of a cluster that do not identify it."""
_MOST_CANDIDATES = 4


@frozen
class RenameCandidate:
    """The new name that an item may have."""

    after: str
    moves: tuple[tuple[str, str], ...]
    """The entries of ``moved`` that keep it: from, to. That of the cluster comes before those of its groups."""


@frozen
class PossibleRename:
    """A removed item, and the new ones that may be the same under another name; at least one."""

    before: str
    candidates: tuple[RenameCandidate, ...]

    certain: bool
    """Whether there is only one candidate, which is not a candidate for another removed item."""


_Found = tuple[str, tuple[RenameCandidate, ...]]
"""A removed item and its candidates."""


def find_renames(pairs: Sequence[ClusterPair], moves: "Sequence[Move]") -> tuple[PossibleRename, ...]:
    """Every rename without an entry in ``moves``, clusters before their groups.

    A group is recognized by the properties that fix its node pools (shape, zone, capacity, network), by its other keys
    and by its name in GKE; a cluster by its own keys or by its groups. Groups on Autopilot have no resources, so a
    rename loses nothing. GKE cannot move a node pool to another cluster, so the search for a group covers only its
    cluster, also under a new name of the cluster.
    """
    taken = {move.to for move in moves}
    given = {move.source for move in moves}
    gone = [pair.base for pair in pairs if pair.base is not None and pair.head is None and pair.base.key not in given]
    new = [pair.head for pair in pairs if pair.head is not None and pair.base is None and pair.head.key not in taken]
    clusters: list[_Found] = []
    groups: list[PossibleRename] = []
    for before, found in _cluster_candidates(gone, new):
        followers = _certain(_of_renamed_cluster(before, found, taken, given))
        also = tuple(move for rename in followers if rename.certain for move in rename.candidates[0].moves[1:])
        clusters.append(
            (before.key, tuple(RenameCandidate(after.key, ((before.key, after.key), *also)) for after in found))
        )
        groups += [_with_moves(rename, also) for rename in followers]
    for pair in pairs:
        if pair.base is not None and pair.head is not None:
            groups += _certain(_of_groups(pair.groups, taken, given))
    return (*_certain(clusters), *groups)


def _with_moves(rename: PossibleRename, also: tuple[tuple[str, str], ...]) -> PossibleRename:
    """A group of a renamed cluster with the entries for the other groups of that cluster."""
    if not rename.certain:
        return rename
    (candidate,) = rename.candidates
    return PossibleRename(rename.before, (RenameCandidate(candidate.after, (candidate.moves[0], *also)),), certain=True)


def _certain(found: Iterable[_Found]) -> list[PossibleRename]:
    """The renames of items that may be the same."""
    found = list(found)
    claims = Counter(candidate.after for _, candidates in found for candidate in candidates)
    return [
        PossibleRename(before, candidates, certain=len(candidates) == 1 and claims[candidates[0].after] == 1)
        for before, candidates in found
    ]


# Clusters


def _cluster_candidates(gone: Sequence[Cluster], new: Sequence[Cluster]) -> Iterator[tuple[Cluster, list[Cluster]]]:
    by_place: dict[Hashable, list[Cluster]] = {}
    for after in new:
        by_place.setdefault(_place(after), []).append(after)
    for before in gone:
        found = _best((_cluster_likeness(before, after), after) for after in by_place.get(_place(before), ()))
        if found:
            yield before, found


def _place(cluster: Cluster) -> Hashable:
    """Properties that no update of a cluster changes."""
    return cluster.project, cluster.location, cluster.mode


def _cluster_likeness(before: Cluster, after: Cluster) -> int:
    """The similarity of a new cluster to a removed one in the same location; 0 if nothing could be kept."""
    if (after.plan.name or before.key) != before.name:
        return 0
    if after.plan.name == before.name:  # a name is unique, so no other cluster can keep it
        return 4
    own = _content(before.plan, _OF_A_CLUSTER) == _content(after.plan, _OF_A_CLUSTER)
    alike = _alike_groups(before, after)
    if own and alike == len(before.groups) == len(after.groups):
        return 3
    return 2 if alike and own else 1 if alike * 2 > len(before.groups) else 0


def _alike_groups(before: Cluster, after: Cluster) -> int:
    """The number of groups with the same key and with node pools that can stay."""
    by_key = {_own_key(group.key): group for group in after.groups}
    pairs = ((group, by_key.get(_own_key(group.key))) for group in before.groups)
    return sum(other is not None and _stays(group, other) for group, other in pairs)


def _of_renamed_cluster(
    before: Cluster, found: Sequence[Cluster], taken: Set[str], given: Set[str]
) -> Iterator[_Found]:
    """The groups of a renamed cluster, which can have new keys themselves."""
    by_group: dict[str, list[RenameCandidate]] = {}
    old = {_own_key(group.key) for group in before.groups}
    for after in found:
        cluster = (before.key, after.key)
        keys = {_own_key(group.key): group for group in after.groups}
        for group in before.groups:
            same = keys.get(_own_key(group.key))
            if same is not None:
                by_group.setdefault(group.key, []).append(RenameCandidate(same.key, (cluster,)))
        gone = [group for group in before.groups if _own_key(group.key) not in keys and group.key not in given]
        new = [group for group in after.groups if _own_key(group.key) not in old and group.key not in taken]
        for group, others in _group_candidates(gone, new):
            candidates = [RenameCandidate(other.key, (cluster, (group.key, other.key))) for other in others]
            by_group.setdefault(group.key, []).extend(candidates)
    return ((key, tuple(candidates)) for key, candidates in by_group.items())


# Slice groups


def _of_groups(pairs: Iterable[GroupPair], taken: Set[str], given: Set[str]) -> Iterator[_Found]:
    pairs = tuple(pairs)
    gone = [pair.base for pair in pairs if pair.head is None and pair.base is not None and pair.base.key not in given]
    new = [pair.head for pair in pairs if pair.base is None and pair.head is not None and pair.head.key not in taken]
    for group, others in _group_candidates(gone, new):
        yield group.key, tuple(RenameCandidate(other.key, ((group.key, other.key),)) for other in others)


def _group_candidates(
    gone: Iterable[SliceGroup], new: Iterable[SliceGroup]
) -> Iterator[tuple[SliceGroup, list[SliceGroup]]]:
    index = _Index(new)
    for group in gone:
        if group.pools:
            found = _best((_group_likeness(group, other), other) for other in index.similar(group))
            if found:
                yield group, list({other.key: other for other in found}.values())


class _Index:
    """New groups by the properties that they can share with a removed group.

    It keeps only as many groups with the same properties as reports show; otherwise many groups that are renamed
    together would all be compared with each other.
    """

    def __init__(self, groups: Iterable[SliceGroup]) -> None:
        self._groups: dict[Hashable, list[SliceGroup]] = {}
        for group in groups:
            if group.pools:
                for key in _name_key(group.plan.name) if group.plan.name else _content_keys(group):
                    kept = self._groups.setdefault(key, [])
                    if len(kept) < _MOST_CANDIDATES:
                        kept.append(group)

    def similar(self, group: SliceGroup) -> Iterator[SliceGroup]:
        """Groups that may be the same as a removed one, possibly with repetitions."""
        for key in (*_content_keys(group), *_name_key(group.name)):
            yield from self._groups.get(key, ())


def _content_keys(group: SliceGroup) -> tuple[Hashable, ...]:
    fixed = _fixed(group)
    return ("all", fixed, _content(group.plan, {"name"})), ("fixed", fixed)


def _name_key(name: str) -> tuple[Hashable, ...]:
    return (("name", name),)


def _group_likeness(before: SliceGroup, after: SliceGroup) -> int:
    """The similarity of a new group to a removed one; 0 if its node pools could not stay or nothing identifies it."""
    if (after.plan.name or _own_key(before.key)) != before.name:
        return 0
    stays = _stays(before, after)
    if after.plan.name == before.name:  # a name is unique in a cluster, so no other group can keep it
        return 3 if stays or not before.protect else 0
    if stays and _content(before.plan, {"name"}) == _content(after.plan, {"name"}):
        return 2
    return 1 if stays and (before.protect or before.plan.capacity.reservation is not None) else 0


def _stays(before: SliceGroup, after: SliceGroup) -> bool:
    """Whether the node pools of one group can become those of the other without being replaced."""
    no_longer_autoscaled = before.shape.multi_host and before.autoscaled and not after.autoscaled
    return not no_longer_autoscaled and _fixed(before) == _fixed(after)


def _fixed(group: SliceGroup) -> Hashable:
    """Properties that no update of a node pool changes."""
    return group.shape, group.zones, _content(group.plan, _NOT_FIXED)


def _best(rated: Iterable[tuple[int, _Item]]) -> list[_Item]:
    """The first of those with the highest rating, if that is not 0."""
    rated = list(rated)
    highest = max((rating for rating, _ in rated), default=0)
    return [item for rating, item in rated if rating == highest][:_MOST_CANDIDATES] if highest else []


def _content(plan: PlanModel, left_out: Set[str]) -> Hashable:
    """The keys of an item in the plan, without some of them, as a comparable value."""
    return tuple(repr(getattr(plan, name)) for name in type(plan).model_fields if name not in left_out)


def _own_key(key: str) -> str:
    return key.rpartition("/")[2]
