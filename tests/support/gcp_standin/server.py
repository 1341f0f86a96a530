"""Runs the stand-in provider on loopback for the time of a test."""

import contextlib
from collections.abc import Iterator
from concurrent import futures

import grpc
from pulumi.runtime.proto import provider_pb2_grpc
from support.gcp_standin.cloud import Cloud
from support.gcp_standin.provider import Provider

_MESSAGE_BYTES = 400 * 1024 * 1024
"""The engine's own limit; the default of gRPC is far below a large stack."""


@contextlib.contextmanager
def serving(cloud: Cloud, version: str) -> Iterator[int]:
    """Serve the provider over ``cloud``; gives the port."""
    options = [("grpc.max_send_message_length", _MESSAGE_BYTES), ("grpc.max_receive_message_length", _MESSAGE_BYTES)]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=16), options=options)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(Provider(cloud, version), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port
    finally:
        server.stop(grace=None).wait()
