"""A stand-in for the provider of Kubernetes: Pulumi's provider protocol over a dictionary of objects.

It is simpler than the real provider:

- Objects are stored as they are sent: no API server completes them, checks them or assigns a version.
- Nothing is awaited, so it does not look at ``pulumi.com/skipAwait``.
- There is no server-side apply and no dry run; a difference is one of the inputs.
- A change of the fields in ``REPLACED`` replaces an object; the real provider knows more fields of more kinds.
- The kubeconfig is not read, and names are always explicit.
"""

import contextlib
from collections.abc import Iterator
from concurrent import futures
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc
from support.gcp_standin import wire

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


class Provider(provider_pb2_grpc.ResourceProviderServicer):
    """Answers the engine for any kind of object."""

    def __init__(self, objects: Objects, version: str) -> None:
        self.objects = objects
        self.version = version

    def Handshake(self, request: Any, context: Any) -> Any:  # noqa: N802 - the names of the gRPC methods
        return provider_pb2.ProviderHandshakeResponse()

    def Attach(self, request: Any, context: Any) -> Any:  # noqa: N802
        return empty_pb2.Empty()

    def Cancel(self, request: Any, context: Any) -> Any:  # noqa: N802
        return empty_pb2.Empty()

    def GetPluginInfo(self, request: Any, context: Any) -> Any:  # noqa: N802
        return plugin_pb2.PluginInfo(version=self.version)

    def CheckConfig(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    def Configure(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.ConfigureResponse(supportsPreview=True)

    def Check(self, request: Any, context: Any) -> Any:  # noqa: N802
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


@contextlib.contextmanager
def serving(objects: Objects, version: str) -> Iterator[int]:
    """Serve the provider on loopback; gives the port."""
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=8))
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(Provider(objects, version), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port
    finally:
        server.stop(grace=None).wait()
