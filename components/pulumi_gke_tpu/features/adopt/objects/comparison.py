"""Whether an object that exists equals a rendered one, but for what the API server and controllers add."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.kubernetes import AddedFields, ObjectFields
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds.manifest import MANAGED
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.objects.document import mapping, text
from pulumi_gke_tpu.core.text.findings import Path, format_path, printable
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity

_ITEMS, _OF_MAP = "[]", "{}"
_SELECTOR = "spec.nodeSelector"
_ALWAYS_ADDED = ("apiVersion", "kind", "metadata", "status")
_LONGEST = 80
_TEXTS_SHOWN = frozenset(
    {
        *("apiVersion", "borrowingLimit", "clusterQueue", "cohortName", "completionMode", "effect", "image", "key"),
        *("kind", "lendingLimit", "name", "namespace", "nominalQuota", "operator", "preemptionPolicy"),
        *("priorityClassName", "queueingStrategy", "reclaimWithinCohort", "restartPolicy", "serviceAccountName"),
        *("stopPolicy", "subdomain", "topologyKey", "withinClusterQueue"),
    }
)
_MAPPINGS_SHOWN = frozenset({"nodeSelector", "nodeLabels", "limits", "requests", "hard", "labels"})
"""The texts that messages show, by the last key and by the mapping: no other text of a cluster gets into an output."""


class _Absent:
    """A field that does not exist."""


ABSENT = _Absent()


@frozen(eq=False)
class ObjectDifference:
    """A field whose values differ."""

    path: Path
    given: object
    rendered: object

    @property
    def text(self) -> str:
        """The difference in one line; without texts that could contain a secret."""
        given, rendered = self._shown(self.given), self._shown(self.rendered)
        path = printable(format_path(self.path), 200)
        if given != rendered:
            return f"{path} is {given} and would be {rendered}"
        return f"{path} has {'other items' if isinstance(self.given, list) else 'another value'}"

    def _shown(self, value: object) -> str:
        if isinstance(value, _Absent):
            return "missing"
        if isinstance(value, dict | list):
            return "a mapping" if isinstance(value, dict) else "a list"
        if not isinstance(value, str):
            return printable(str(value).lower() if isinstance(value, bool) or value is None else str(value), _LONGEST)
        last = next((step for step in reversed(self.path) if isinstance(step, str)), "")
        if last in _TEXTS_SHOWN or any(step in _MAPPINGS_SHOWN for step in self.path):
            return printable(repr(value), _LONGEST)
        return "a text"


@frozen(eq=False)
class _Place:
    """Where a value is: its path, and the kind or part of a Pod and the place that the catalog has for it."""

    path: Path
    kind: str
    place: str
    type: str = ""
    """The type of the value; empty if the catalog does not list it."""

    def key(self, key: str, fields: ObjectFields) -> "_Place":
        listing = fields.kinds.get(self.kind)
        found = listing.fields.get(self.place, {}).get(key, "") if listing is not None else ""
        known = self.type.removesuffix(_OF_MAP) if self.type.endswith(_OF_MAP) else found
        below = f"{self.place}.{key}" if self.place else key
        return self._below((*self.path, key), below, text(known), fields)

    def item(self, index: int, fields: ObjectFields) -> "_Place":
        return self._below((*self.path, index), self.place + _ITEMS, "", fields)

    def _below(self, path: Path, place: str, known: str, fields: ObjectFields) -> "_Place":
        listing = fields.kinds.get(self.kind)
        kind = listing.embedded.get(place) if listing is not None else None
        return _Place(path, kind, "spec") if kind is not None else _Place(path, self.kind, place, known)


class ObjectComparison:
    """Compares objects of any kind.

    ``flavor_labels`` are the node labels of the flavors of a cluster: Kueue adds those of the chosen one to the Pods
    of workloads that it admits, which have the label ``queue_label``.
    """

    def __init__(self, fields: ObjectFields, flavor_labels: frozenset[tuple[str, str]], queue_label: str) -> None:
        self._fields, self._flavor_labels, self._queue_label = fields, flavor_labels, queue_label
        self._queued = False

    def differences(self, given: Mapping[str, Any], rendered: Mapping[str, Any]) -> Iterator[ObjectDifference]:
        """The fields that a rendered object sets otherwise, then those that only the given one has."""
        self._queued = self._queue_label in mapping(rendered["metadata"].get("labels"))
        for key in ("apiVersion", "kind"):
            if given.get(key) != rendered[key]:
                yield ObjectDifference((key,), given.get(key, ABSENT), rendered[key])
        yield from self._metadata(mapping(given.get("metadata")), rendered["metadata"])
        start = _Place((), str(rendered["kind"]), "")
        yield from self._mapping(
            {key: value for key, value in given.items() if key not in _ALWAYS_ADDED},
            {key: value for key, value in rendered.items() if key not in _ALWAYS_ADDED},
            start,
        )

    def _metadata(self, given: Mapping[str, Any], rendered: Mapping[str, Any]) -> Iterator[ObjectDifference]:
        """Labels and annotations of others are theirs. The label of gke-tpu is added where it is missing."""
        for key in ("name", "namespace"):
            if given.get(key) != rendered.get(key):
                yield ObjectDifference(("metadata", key), given.get(key, ABSENT), rendered.get(key, ABSENT))
        for part in ("labels", "annotations"):
            own = mapping(given.get(part))
            for key, value in rendered.get(part, {}).items():
                if own.get(key, ABSENT) != value and not (key in MANAGED and key not in own):
                    yield ObjectDifference(("metadata", part, key), own.get(key, ABSENT), value)

    def _mapping(
        self, given: Mapping[str, Any], rendered: Mapping[str, Any], place: _Place
    ) -> Iterator[ObjectDifference]:
        for key, value in rendered.items():
            yield from self._value(given.get(key, ABSENT), value, place.key(key, self._fields))
        added = self._fields.added.get(place.kind)
        for key, value in given.items():
            if key not in rendered and isinstance(key, str):
                yield from self._addition(value, key, place, added, given)

    def _addition(
        self, value: object, key: str, place: _Place, added: AddedFields | None, around: Mapping[str, Any]
    ) -> Iterator[ObjectDifference]:
        """What only the given object has: nothing to report if others than its author add it."""
        below = place.key(key, self._fields)
        chosen = added.chosen.get(place.place, ()) if added is not None else ()
        default = added.defaults.get(place.place, {}).get(key, ABSENT) if added is not None else ABSENT
        if value in (None, {}, []) or key in chosen or _same(value, default):
            return
        if place.place == _SELECTOR and self._queued and (key, text(value)) in self._flavor_labels:
            return
        if key == "imagePullPolicy" and value == _pull_policy(around.get("image")):
            return
        if isinstance(value, dict) and (below.place == _SELECTOR or self._may_be_added(below)):
            yield from self._mapping(value, {}, below)
        else:
            yield ObjectDifference(below.path, value, ABSENT)

    def _may_be_added(self, place: _Place) -> bool:
        """Whether others than the author of an object can have added a mapping, with everything in it."""
        added = self._fields.added.get(place.kind)
        every = (*added.defaults, *added.chosen) if added is not None else ()
        return any(item == place.place or item.startswith(f"{place.place}.") for item in every)

    def _value(self, given: object, rendered: object, place: _Place) -> Iterator[ObjectDifference]:
        if isinstance(rendered, dict) and (isinstance(given, dict) or (given is ABSENT and not rendered)):
            yield from self._mapping(mapping(given), rendered, place)
        elif isinstance(rendered, list) and isinstance(given, list) and len(given) == len(rendered):
            for index, (one, other) in enumerate(zip(given, rendered, strict=True)):
                yield from self._value(one, other, place.item(index, self._fields))
        elif not _same(given, rendered) and not (place.type.startswith("quantity") and _same_amount(given, rendered)):
            yield ObjectDifference(place.path, given, rendered)


def comparison_beside(objects: Iterable[KubernetesObject], catalog: Catalog) -> ObjectComparison:
    """The comparison of objects of a cluster that has these others, whose flavors count."""
    flavor = catalog.kubernetes.kinds.objects["resource_flavor"]
    group = flavor.api_version.partition("/")[0]
    labels = frozenset(
        (key, value)
        for item in objects
        if item.is_a(flavor.kind, group)
        for key, value in mapping(item.spec.get("nodeLabels")).items()
        if isinstance(value, str)
    )
    return ObjectComparison(catalog.object_fields, labels, catalog.kubernetes.kueue.labels.queue)


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


def _same_amount(one: object, other: object) -> bool:
    amount = parse_quantity(one)
    return amount is not None and amount == parse_quantity(other)


def _pull_policy(image: object) -> str:
    """The policy that the API server sets for an image, by its tag or digest."""
    name, _, digest = str(image).rpartition("/")[2].partition("@")
    tag = name.partition(":")[2]
    return "Always" if tag == "latest" or not (tag or digest) else "IfNotPresent"
