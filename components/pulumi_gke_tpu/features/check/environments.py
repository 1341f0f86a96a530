"""The environments in some files: objects with one name in several places are for clusters of their own.

A folder with ``prod/queue.yaml`` and ``dev/queue.yaml``, which both define the ClusterQueue ``research``, is for two
clusters: a Job in ``prod`` uses the queue in ``prod``. Files elsewhere belong to every environment, unless their path
names one, such as ``jobs-dev.yaml``.
"""

import itertools
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pulumi_gke_tpu.core.objects import KubernetesObject, is_open
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_WORD = lazy_pattern(r"[a-z0-9]+")
_MOST_WITH_COMMON = 20
"""With more environments, the common files are checked by themselves, so that the work stays linear."""

_MOST_TAGS = 6
"""Of more tags, only those of the outermost folders count."""

_Parts = tuple[str, ...]
_Split = tuple[_Parts, tuple[str, ...]]
"""A folder, and the names in it below which there is an object of the same name each."""
_Tag = frozenset[str]
"""What tells an environment from others: words of a path, or one whole path where no word does."""


def environments(objects: Sequence[KubernetesObject]) -> tuple[tuple[KubernetesObject, ...], ...]:
    """The objects of each environment, in order; all of them together if no name is in two files."""
    files = {owner.file.name: path_parts(owner.file.name) for owner in objects}
    splits = _splits(objects, files)
    if not splits:
        return (tuple(objects),)
    tags = _tags(files, splits)
    signatures = sorted({each for each in tags.values() if each}, key=lambda each: sorted(map(sorted, each)))
    shorter = {subset for each in signatures for subset in _subsets(each) if len(subset) < len(each)}
    longest = [each for each in signatures if each not in shorter]
    chosen: list[frozenset[_Tag]] = [*longest]
    with_common = len(longest) <= _MOST_WITH_COMMON
    if not with_common:
        chosen.append(frozenset())
    by_tags: dict[frozenset[_Tag], list[KubernetesObject]] = {}
    for owner in objects:
        by_tags.setdefault(tags[owner.file.name], []).append(owner)
    return tuple(_members(by_tags, signature, with_common=with_common) for signature in chosen)


def _members(
    by_tags: Mapping[frozenset[_Tag], Sequence[KubernetesObject]], signature: frozenset[_Tag], *, with_common: bool
) -> tuple[KubernetesObject, ...]:
    """The objects whose files have no other tags than those of an environment."""
    subsets = (subset for subset in _subsets(signature) if subset or with_common or not signature)
    found = [owner for subset in subsets for owner in by_tags.get(subset, ())]
    return tuple(sorted(found, key=lambda owner: owner.index))


def _subsets(tags: frozenset[_Tag]) -> Iterator[frozenset[_Tag]]:
    sizes = range(len(tags) + 1)
    return (frozenset(subset) for size in sizes for subset in itertools.combinations(tags, size))


def path_parts(name: str) -> _Parts:
    """The folders and the name of a file."""
    return tuple(posixpath.normpath(name.replace("\\", "/")).split("/"))


def _splits(objects: Iterable[KubernetesObject], files: Mapping[str, _Parts]) -> frozenset[_Split]:
    """The places below a folder that define an object of the same name each."""
    places: dict[tuple[str, str, str, str], set[_Parts]] = {}
    for owner in objects:
        if owner.name and not is_open(owner.name):
            identity = owner.group, owner.kind, owner.namespace, owner.name
            places.setdefault(identity, set()).add(files[owner.file.name])
    found: set[_Split] = set()
    waiting = [(0, sorted(paths)) for paths in places.values() if len(paths) > 1]
    while waiting:
        depth, paths = waiting.pop()
        while len({path[depth] for path in paths}) == 1:
            depth += 1
        children = {child: [*below] for child, below in itertools.groupby(paths, key=lambda path: path[depth])}
        found.add((paths[0][:depth], tuple(children)))
        waiting += [(depth + 1, below) for below in children.values() if len(below) > 1]
    return frozenset(found)


def _tags(files: Mapping[str, _Parts], splits: Iterable[_Split]) -> dict[str, frozenset[_Tag]]:
    """The tags of each file: those of the places that it is below, else those that its path names."""
    at: dict[_Parts, _Tag] = {}
    rivals: list[frozenset[_Tag]] = []
    for folder, children in sorted(splits):
        words = [_words(child) for child in children]
        common = frozenset.intersection(*words)
        tags = [
            own - common or frozenset({"/".join((*folder, child))}) for own, child in zip(words, children, strict=True)
        ]
        rivals.append(frozenset(tags))
        for child, tag in zip(children, tags, strict=True):
            place = (*folder, child)
            at[place] = min(at.get(place, tag), tag, key=len)
    by_word: dict[str, set[_Tag]] = {}
    for tag in at.values():
        for word in tag:
            by_word.setdefault(word, set()).add(tag)
    found: dict[str, frozenset[_Tag]] = {}
    for name, parts in files.items():
        below = [at[parts[:end]] for end in range(1, len(parts) + 1) if parts[:end] in at]
        named = frozenset(below) or _named(parts, by_word, rivals)
        found[name] = frozenset(below[:_MOST_TAGS]) if len(named) > _MOST_TAGS else named
    return found


def _named(parts: _Parts, by_word: Mapping[str, set[_Tag]], rivals: Sequence[frozenset[_Tag]]) -> frozenset[_Tag]:
    """The tags whose words are in one part of a path; none of those that exclude each other."""
    found = {tag for part in parts for word in _words(part) for tag in by_word.get(word, ()) if tag <= _words(part)}
    if not found:
        return frozenset()
    excluded = {tag for tags in rivals if len(both := found & tags) > 1 for tag in both}
    return frozenset(found - excluded)


def _words(name: str) -> frozenset[str]:
    """The words of a file or folder, without the ending."""
    return frozenset(_WORD.findall(posixpath.splitext(name)[0].lower()))
