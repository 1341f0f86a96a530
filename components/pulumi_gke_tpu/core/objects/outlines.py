"""Objects in the folder of a snapshot: a list of whole ones, or a line for each with some of its fields."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.objects.document import KubernetesObject
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError, Limits, parse_json
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.yamlfile import YamlFile

LARGEST = 110_000_000
"""The number of bytes of an answer that are read."""
LIMITS = Limits(size=LARGEST, depth=60)
_NAME = "metadata.name"
_OUTLINE = lazy_pattern(
    rb'[\s\[]*\{\s*"kind"\s*:\s*"\w*"\s*,\s*"apiVersion"\s*:\s*"[\w./-]*"\s*,\s*"metadata\.name"\s*:'
)
_NO_KIND = "the server doesn't have a resource type"
"""What kubectl says of a kind whose operator is not installed."""


def is_outline(content: bytes) -> bool:
    """Whether a file begins with an object as the script of a snapshot writes it."""
    return _OUTLINE.match(content) is not None


def json_lines(content: bytes) -> object:
    """The content of a file: JSON, or a list of the objects of JSON on its lines.

    Raises:
        JsonError: it is neither, or is too large.
    """
    try:
        return parse_json(content, LIMITS)
    except JsonError:
        if len(content) > LARGEST:
            raise
        lines = [line for line in content.splitlines() if line.strip()]
        return parse_json(b"[" + b",".join(lines) + b"]", LIMITS)


def outlined(data: object, file: str, first: int = 0) -> Iterator[KubernetesObject]:
    """The objects of an answer of kubectl, numbered from ``first``: those of a list, or of the lines of a file."""
    listed = data["items"] if isinstance(data, dict) and isinstance(data.get("items"), list) else data
    has_lines = listed is data
    place = YamlFile.empty(file)
    for index, each in enumerate(listed if isinstance(listed, list) else [listed]):
        item = each if isinstance(each, dict) else {}
        is_outline = _NAME in item
        item = _nested(item) if is_outline else item
        version, kind = item.get("apiVersion"), item.get("kind")
        if isinstance(version, str) and isinstance(kind, str) and version and kind:
            at = YamlFile.empty(file, index) if has_lines else place
            base = () if has_lines else ("items", index)
            yield KubernetesObject(first, at, base, item, version, kind, is_outline)
            first += 1


def why_missing(error: str) -> str:
    """The reason that a command gave for a missing answer; empty if its operator is not installed."""
    return "" if _NO_KIND in error else printable(" ".join(error.split()), 300) or "the command failed"


def listed_kind(read: str, kinds: Iterable[str]) -> str:
    """The kind of the objects that ``kubectl get`` lists by their plural, such as ``jobs.batch``."""
    plural = read.partition(".")[0]
    return next((kind for kind in kinds if f"{kind.lower()}s" == plural), "")


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """An object from fields with dots in their names; values are in lists of one, and missing texts are empty."""
    found: dict[str, Any] = {}
    for name, written in flat.items():
        value = written
        if isinstance(value, list):
            value = value[0] if value else None
            if isinstance(value, list) and value and value[-1] is None:
                value = [_nested(entry) for entry in value if isinstance(entry, dict)]
        if value in (None, ""):
            continue
        *above, last = name.split(".")
        inner = found
        for step in above:
            inner = inner.setdefault(step, {})
            if not isinstance(inner, dict):
                break
        else:
            inner[last] = value
    return found
