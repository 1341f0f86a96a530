"""The files that flags of gcloud name: flags in YAML, and settings of auto-provisioning."""

from collections.abc import Iterator
from typing import Any, Final

from pulumi_gke_tpu.core.text.yamlfile.stream import only_document

_LARGEST: Final = 200_000
_MOST: Final = 1_000


def data_in(text: str | None) -> Any:
    """The data of a file in YAML or JSON; None if it is not one document of them."""
    if not text or len(text) > _LARGEST:
        return None
    document = only_document(text.encode(), "flags.yaml")
    return document.data if document is not None else None


def flags_in(text: str | None) -> list[str] | None:
    """The flags in a file of flags, as gcloud reads them: a mapping, or a list of mappings."""
    data = data_in(text)
    items = data if isinstance(data, list) else [data]
    if not all(isinstance(item, dict) for item in items) or not items:
        return None
    return [flag for item in items for name, value in item.items() for flag in _flags(str(name), value)][:_MOST]


def _flags(name: str, value: Any) -> Iterator[str]:
    """A flag with its value; once for each item if the items are mappings."""
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for item in value:
            yield from _flags(name, item)
    elif value is None or value is True:
        yield name
    elif value is False:
        yield f"--no-{name.removeprefix('--')}"
    elif isinstance(value, dict):
        yield f"{name}={','.join(f'{key}={item}' for key, item in value.items())}"
    elif isinstance(value, list):
        yield f"{name}={','.join(map(str, value))}"
    else:
        yield f"{name}={value}"
