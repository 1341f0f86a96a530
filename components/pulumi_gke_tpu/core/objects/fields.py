"""The mappings in an object whose fields the catalog knows."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog.records.kubernetes import FieldType, KindFields
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects.document import KubernetesObject
from pulumi_gke_tpu.core.text.findings import Path

_ITEMS = "[]"
_ANY_KIND = "Object"


@frozen(eq=False)
class ObjectPart:
    """A mapping in an object, with the types of its fields and the names of those that are required.

    ``place`` is its place in the kind or part of a Pod with the name ``kind``: ``spec.containers[]`` of ``Pod``. It has
    exactly one of the fields in ``one_of``, and at most one of those in ``at_most_one``.
    """

    path: Path
    kind: str
    place: str
    data: dict[str, Any]
    fields: Mapping[str, FieldType]
    required: tuple[str, ...]
    one_of: tuple[str, ...]
    at_most_one: tuple[str, ...]


def parts_of(
    owner: KubernetesObject, kinds: Mapping[str, KindFields], *, with_spec: bool = True
) -> Iterator[ObjectPart]:
    """The mappings of an object, outer ones first. Those of its ``spec`` need a kind whose fields the catalog knows.

    What a kind embeds at a place inside of another embedded kind comes before what that one has there.
    """
    own = kinds.get(owner.kind)
    of_kind = own.embedded if own is not None else {}
    waiting: list[tuple[Path, str, str, str, Any]] = [((), _ANY_KIND, "spec", "", owner.data)]
    if with_spec:
        waiting.append((("spec",), owner.kind, "spec", "spec", owner.spec))
    for path, kind, place, whole, data in waiting:
        listing = kinds.get(kind)
        fields = listing.fields.get(place) if listing is not None else None
        if listing is None or fields is None or not isinstance(data, dict):
            continue
        required, one_of = listing.required.get(place, ()), listing.one_of.get(place, ())
        yield ObjectPart(path, kind, place, data, fields, required, one_of, listing.at_most_one.get(place, ()))
        for key, value in data.items():
            below, inside = f"{place}.{key}", f"{whole}.{key}"
            if isinstance(value, dict):
                embedded = of_kind.get(inside) or listing.embedded.get(below)
                waiting.append(((*path, key), embedded or kind, "spec" if embedded else below, inside, value))
            elif isinstance(value, list):
                embedded = listing.embedded.get(below + _ITEMS)
                inner = (embedded or kind, "spec" if embedded else below + _ITEMS, inside + _ITEMS)
                waiting += (((*path, key, index), *inner, entry) for index, entry in enumerate(value))
