"""Runs the plugin: a gRPC server on a free local port, which the engine reads from standard output."""

import argparse
import asyncio
import os
import signal
import sys
from typing import Any

import grpc.aio  # type: ignore[import-untyped]
import pulumi
from pulumi.provider.server import ProviderServicer
from pulumi.runtime.proto import provider_pb2_grpc

from pulumi_gke_tpu.features.plugin.provider import TpuProvider

_MESSAGE_BYTES = 400 * 1024 * 1024
"""The engine's own limit; the default of gRPC is too small for a large stack."""


class TpuServicer(ProviderServicer):
    """The SDK's servicer, which reads a component's custom timeouts and forgets them, with them."""

    @staticmethod
    def _construct_options(request: Any) -> pulumi.ResourceOptions:
        options = ProviderServicer._construct_options(request)  # noqa: SLF001 - the SDK has no other hook
        if request.HasField("customTimeouts"):
            wanted = request.customTimeouts
            options.custom_timeouts = pulumi.CustomTimeouts(
                create=wanted.create or None, update=wanted.update or None, delete=wanted.delete or None
            )
        return options


def serve() -> None:
    """Serve until the engine ends this process. The engine's address is the first word of the command line."""
    parser = argparse.ArgumentParser(
        prog="pulumi-resource-gke-tpu", description="Pulumi plugin of gke-tpu; the Pulumi engine starts it."
    )
    parser.add_argument("engine", help="address of the engine, HOST:PORT")
    known, _ = parser.parse_known_args()
    signal.signal(signal.SIGINT, _end_now)
    asyncio.run(_listen(known.engine))


def _end_now(signal_number: int, frame: object) -> None:
    """End although threads still wait for the engine's answers.

    After a failed run the engine does not answer any more: it interrupts its plugins, and waits five seconds for each.
    """
    os._exit(0)


async def _listen(engine: str) -> None:
    limits = [("grpc.max_send_message_length", _MESSAGE_BYTES), ("grpc.max_receive_message_length", _MESSAGE_BYTES)]
    server = grpc.aio.server(options=limits)
    servicer = TpuServicer(TpuProvider(), [], engine_address=engine)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.buffer.write(f"{port}\n".encode())
    sys.stdout.buffer.flush()
    await server.wait_for_termination()
