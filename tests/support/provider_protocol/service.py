"""The part that all stand-in providers share: the calls before the first resource, and the server on loopback."""

import contextlib
from collections.abc import Iterator
from concurrent import futures
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

_MESSAGE_BYTES = 400 * 1024 * 1024
"""The engine's own limit; the default of gRPC is far below a large stack."""


class ProviderService(provider_pb2_grpc.ResourceProviderServicer):
    """Accepts any configuration. A stand-in adds what it answers about resources."""

    def __init__(self, version: str) -> None:
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


@contextlib.contextmanager
def serving(provider: ProviderService) -> Iterator[int]:
    """Serve the provider on loopback; yields the port."""
    options = [("grpc.max_send_message_length", _MESSAGE_BYTES), ("grpc.max_receive_message_length", _MESSAGE_BYTES)]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=16), options=options)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(provider, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port
    finally:
        server.stop(grace=None).wait()
