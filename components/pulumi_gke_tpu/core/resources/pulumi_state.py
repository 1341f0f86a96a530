"""Reads what ``pulumi stack export`` writes."""

from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.resources.model import Origin, RawResource, Resources, SourceFormat
from pulumi_gke_tpu.core.resources.terraform_names import types_of
from pulumi_gke_tpu.core.resources.values import UNKNOWN, Values
from pulumi_gke_tpu.core.text.jsonfile.scan import JsonPart

_SIGNATURE = "4dabf18193072939515e22adb298388d"
"""The key of an object that stands for a secret, an asset or a reference to a resource."""


def read_state(resources: JsonPart, file: str, catalog: Catalog) -> Resources:
    """The resources of a stack, by the inputs of its program. Those that wait for deletion are left out."""
    known = frozenset(types_of(catalog).values())
    found = []
    for part in resources.elements():
        data = part.value()
        if (
            isinstance(data, dict)
            and str(data.get("type")) in known
            and not data.get("delete")
            and not data.get("external")
        ):
            locate = part.locator(file, "inputs")
            origin = Origin(SourceFormat.PULUMI_STATE, file, str(data.get("urn", "")), locate)
            found.append(_resource(data, origin))
    return Resources(tuple(found))


def _resource(data: dict[str, Any], origin: Origin) -> RawResource:
    inputs, outputs = (_plain(data.get(key)) for key in ("inputs", "outputs"))
    inputs, outputs = ({} if not isinstance(side, dict) else side for side in (inputs, outputs))
    project = inputs.get("project") or outputs.get("project")
    name = inputs.get("name") or outputs.get("name")
    return RawResource(
        type=data["type"],
        name=name if isinstance(name, str) else origin.address.rpartition("::")[2],
        values=Values({key: value for key, value in inputs.items() if not key.startswith("__")}),
        origin=origin,
        project=project if isinstance(project, str) else "",
        before=Values(outputs),
        options=Values(
            {"protect": data.get("protect") is True, "deleteBeforeReplace": UNKNOWN, "ignoreChanges": UNKNOWN}
        ),
        refers_to=dict(_references(data.get("propertyDependencies"))),
    )


def _references(written: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, urns in written.items() if isinstance(written, dict) else ():
        if isinstance(urns, list):
            yield name, tuple(urn for urn in urns if isinstance(urn, str))


def _plain(value: Any) -> Any:
    """A value in which secrets are unknown."""
    if isinstance(value, dict):
        return UNKNOWN if _SIGNATURE in value else {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value
