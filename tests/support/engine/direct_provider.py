"""The stand-in provider without an engine: calls with plain data, for tests of its answers."""

import contextlib
from collections.abc import Iterator
from typing import Any

from google.protobuf import json_format
from pulumi.runtime.proto import provider_pb2, status_pb2
from support.gcp_standin.cloud import Cloud
from support.gcp_standin.provider import Provider
from support.provider_protocol import wire


class CallError(Exception):
    """The provider answered with an error."""


class _Context:
    """What a call writes into beside its answer."""

    def __init__(self) -> None:
        self.trailing: Any = None

    def abort(self, code: Any, message: str) -> None:
        raise CallError(message)

    def set_trailing_metadata(self, trailing: Any) -> None:
        self.trailing = trailing


class DirectProvider:
    """A provider with a cloud of its own."""

    def __init__(self) -> None:
        self.cloud = Cloud()
        self.cloud.knobs.added = ()  # by the API of the recordings with which it is compared
        self.secret: set[str] = set()
        """The outputs of the resource created last that are marked as secret."""
        self._provider = Provider(self.cloud, "9.35.0")

    def check(self, token: str, name: str, inputs: dict[str, Any]) -> dict[str, Any]:
        """The inputs as the provider completes them."""
        request = provider_pb2.CheckRequest(urn=_urn(token, name), news=wire.write(inputs), randomSeed=b"seed")
        answer = self._provider.Check(request, _Context())
        if answer.failures:
            raise CallError(str(answer.failures))
        return _plain(answer.inputs)

    def preview(self, token: str, name: str, inputs: dict[str, Any]) -> dict[str, Any]:
        """The outputs that a preview of the creation shows."""
        request = provider_pb2.CreateRequest(urn=_urn(token, name), properties=wire.write(inputs), preview=True)
        return _plain(self._provider.Create(request, _Context()).properties)

    def create(self, token: str, name: str, inputs: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """The id and the outputs after the creation."""
        request = provider_pb2.CreateRequest(urn=_urn(token, name), properties=wire.write(inputs))
        answer = self._provider.Create(request, _Context())
        self.secret = set(_secrets(json_format.MessageToDict(answer.properties)))
        return answer.id, _plain(answer.properties)

    def create_failing(self, token: str, name: str, inputs: dict[str, Any]) -> dict[str, Any]:
        """The outputs that a creation leaves behind although it fails."""
        request = provider_pb2.CreateRequest(urn=_urn(token, name), properties=wire.write(inputs))
        context = _Context()
        with contextlib.suppress(CallError):
            self._provider.Create(request, context)
        ((_, written),) = context.trailing
        left = provider_pb2.ErrorResourceInitFailed()
        status_pb2.Status.FromString(written).details[0].Unpack(left)
        return _plain(left.properties)

    def read(
        self, token: str, name: str, resource_id: str, inputs: dict[str, Any], outputs: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The inputs and the outputs after a refresh."""
        request = provider_pb2.ReadRequest(
            id=resource_id, urn=_urn(token, name), inputs=wire.write(inputs), properties=wire.write(outputs)
        )
        answer = self._provider.Read(request, _Context())
        return _plain(answer.inputs), _plain(answer.properties)

    def diff(
        self, token: str, name: str, resource_id: str, outputs: dict[str, Any], inputs: dict[str, Any]
    ) -> dict[str, str]:
        """Path -> kind of difference between the stored outputs and new inputs."""
        request = provider_pb2.DiffRequest(
            id=resource_id, urn=_urn(token, name), olds=wire.write(outputs), news=wire.write(inputs)
        )
        detailed = self._provider.Diff(request, _Context()).detailedDiff
        return {path: provider_pb2.PropertyDiff.Kind.Name(item.kind) for path, item in detailed.items()}

    def update(
        self, token: str, name: str, resource_id: str, outputs: dict[str, Any], inputs: dict[str, Any]
    ) -> dict[str, Any]:
        """The outputs after an update."""
        request = provider_pb2.UpdateRequest(
            id=resource_id, urn=_urn(token, name), olds=wire.write(outputs), news=wire.write(inputs)
        )
        return _plain(self._provider.Update(request, _Context()).properties)


def _plain(struct: Any) -> dict[str, Any]:
    """Properties with their nulls, and secrets without their mark."""
    data: dict[str, Any] = json_format.MessageToDict(struct)
    return {name: _unmarked(value) for name, value in data.items()}


def _secrets(block: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in block.items():
        if isinstance(value, dict):
            marked = wire.SIGNATURE in value
            yield from (f"{prefix}{name}",) if marked else _secrets(value, f"{prefix}{name}.")


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return _unmarked(value["value"]) if wire.SIGNATURE in value else {k: _unmarked(v) for k, v in value.items()}
    return [_unmarked(item) for item in value] if isinstance(value, list) else value


def _urn(token: str, name: str) -> str:
    return f"urn:pulumi:test::gke-tpu::{token}::{name}"
