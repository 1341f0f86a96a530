"""Reads a preview that was stored as JSON, so that a later version of this library can compare against it.

``features/plan/preview/json`` writes it. Keys that this version does not know are ignored, and those that an older
version did not write have their defaults.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.model import Graph, Resource
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError, Limits, parse_json

LARGEST = 200_000_000
"""Bytes of the largest file that is read."""

_LIMITS = Limits(size=LARGEST, depth=60)
_FORMATS = (1,)
_AGAIN = "store it again: gke-tpu preview PLAN --format json --resources"


class StoredError(ValueError):
    """A file that is not a stored preview. The message has the reason and the next step, safe to print."""


@frozen
class StoredPreview:
    """What a comparison needs of a stored preview."""

    name: Annotated[str, Field(alias="plan")]
    """The plan file, as it was given."""
    catalog_version: Annotated[str, Field(alias="catalog")]
    written: Mapping[str, Any]
    """The plan in its canonical form."""
    resources: tuple[Resource, ...]
    """As the version that stored them registered them, in any order."""

    @property
    def graph(self) -> Graph:
        """The resources in the order of their URNs."""
        return Graph(tuple(sorted(self.resources, key=lambda resource: resource.urn)))


def read_stored(content: bytes) -> StoredPreview:
    """Read a stored preview.

    Raises:
        StoredError: it is none, or one without what a comparison needs.
    """
    from pulumi_gke_tpu.core.text.jsonfile.form import from_data

    try:
        data = parse_json(content, _LIMITS)
        _check_kind(data)
        stored = from_data(StoredPreview, data)
    except JsonError as error:
        raise StoredError(f"{error}; {_AGAIN}") from None
    if len({resource.urn for resource in stored.resources}) != len(stored.resources):
        raise StoredError(f"two resources have the same URN; {_AGAIN}")
    return stored


def _check_kind(data: Any) -> None:
    if not isinstance(data, dict) or "catalog" not in data or "plan" not in data:
        raise StoredError(f"it is not a stored preview; {_AGAIN}")
    if data.get("format") not in _FORMATS:
        raise StoredError(f"its format is {printable(data.get('format'), 20)}, and this version reads 1; {_AGAIN}")
    if "resources" not in data or "written" not in data:
        raise StoredError(f"it was stored without its resources, or by a version that kept no plan; {_AGAIN}")
