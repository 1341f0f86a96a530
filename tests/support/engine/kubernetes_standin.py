"""A stand-in for the provider of Kubernetes: Pulumi's provider protocol over a dictionary of objects.

It is simpler than the real provider:

- Objects are stored as they are sent: no API server completes them, checks them or assigns a version.
- It waits for nothing, so it ignores ``pulumi.com/skipAwait``.
- There is no server-side apply and no dry run; a difference is one of the inputs.
- A change of the fields in ``REPLACED`` replaces an object; the real provider knows more fields of more kinds.
- The kubeconfig is not read, and names are always explicit.
"""

from dataclasses import dataclass, field
from typing import Any

from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2
from support.gcp_standin import wire
from support.provider_service import ProviderService

REPLACED = {"Job": ("spec",), "PersistentVolumeClaim": ("spec",)}
"""Kind -> the properties whose change replaces an object, as in the real provider."""


@dataclass
class Objects:
    """The objects of a cluster, and what was done to them in order."""

    stored: dict[str, dict[str, Any]] = field(default_factory=dict)
    log: list[tuple[str, str]] = field(default_factory=list)
    """(create, update or delete; Kind/name)."""

    def did(self, action: str) -> list[str]:
        return [name for done, name in self.log if done == action]


class Provider(ProviderService):
    """Answers the engine for any kind of object."""

    def __init__(self, objects: Objects, version: str) -> None:
        super().__init__(version)
        self.objects = objects

    def Check(self, request: Any, context: Any) -> Any:  # noqa: N802 - the names of the gRPC methods
        return provider_pb2.CheckResponse(inputs=request.news)

    def Diff(self, request: Any, context: Any) -> Any:  # noqa: N802
        old, new = wire.read(request.olds), wire.read(request.news)
        changed = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
        kinds = provider_pb2.DiffResponse
        return provider_pb2.DiffResponse(
            changes=kinds.DIFF_SOME if changed else kinds.DIFF_NONE,
            diffs=changed,
            replaces=[key for key in changed if key in REPLACED.get(new["kind"], ())],
        )

    def Create(self, request: Any, context: Any) -> Any:  # noqa: N802
        item = wire.read(request.properties)
        if request.preview:
            return provider_pb2.CreateResponse(properties=request.properties)
        name = _id(item)
        if name in self.objects.stored:
            wire.fail(context, f'{item["kind"]} "{item["metadata"]["name"]}" already exists')
        self._did("create", item)
        self.objects.stored[name] = item
        return provider_pb2.CreateResponse(id=name, properties=request.properties)

    def Update(self, request: Any, context: Any) -> Any:  # noqa: N802
        item = wire.read(request.news)
        if not request.preview:
            self._did("update", item)
            self.objects.stored[request.id] = item
        return provider_pb2.UpdateResponse(properties=request.news)

    def Delete(self, request: Any, context: Any) -> Any:  # noqa: N802
        self._did("delete", self.objects.stored.pop(request.id))
        return empty_pb2.Empty()

    def _did(self, action: str, item: dict[str, Any]) -> None:
        self.objects.log.append((action, f"{item['kind']}/{item['metadata']['name']}"))


def _id(item: dict[str, Any]) -> str:
    metadata = item["metadata"]
    return f"{item['apiVersion']}/{item['kind']}::{metadata.get('namespace', '')}/{metadata['name']}"
