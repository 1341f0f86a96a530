"""The plugin: a gRPC server that creates the components for programs in other languages."""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from typing import Any

import grpc.aio  # type: ignore[import-untyped]
import pulumi
from pulumi.errors import InputPropertiesError, InputPropertyErrorDetails
from pulumi.provider import ConstructResult, Provider
from pulumi.provider.server import ProviderServicer
from pulumi.runtime.proto import provider_pb2_grpc

import pulumi_gke_tpu
from pulumi_gke_tpu.core.text import findings
from pulumi_gke_tpu.core.text.findings import Finding, FindingsError, Severity, format_path, number, printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.plugin.schema import path_as_given, read_package

_KUBERNETES = "pulumi_kubernetes"
"""The package that only TpuWorkloads requires."""
_NEXT_LINE = "\n\t\t"
"""The engine indents its list of properties by two tabs."""
_MISSING = lazy_pattern(r"missing key `(\w+)`")


class TpuProvider(Provider):
    """Creates ``gke-tpu:index:*`` components."""

    def __init__(self) -> None:
        self._package = read_package()
        super().__init__(pulumi_gke_tpu.__version__, self._package.text)

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: Mapping[str, Any],
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """Create a component.

        Raises:
            InputPropertiesError: the inputs are invalid; it has every finding with the path of its property.
            RunError: no component has that type, or it requires a package that the plugin lacks.
        """
        if resource_type not in self._package.components:
            known = ", ".join(self._package.components)
            raise pulumi.RunError(f"unknown component {printable(resource_type)}; use one of {known}")
        # Loaded here and not before: the engine waits for the plugin to start, and most of that would be this.
        component = getattr(pulumi_gke_tpu, resource_type.rsplit(":", 1)[1])
        try:
            made = component(name, self._package.arguments(resource_type, inputs), options)
        except FindingsError as refused:
            raise _input_error(name, refused, inputs) from None
        except ModuleNotFoundError as missing:
            if missing.name != _KUBERNETES:
                raise
            raise pulumi.RunError(f"{printable(name)}: {missing} in the environment of the plugin") from None
        return ConstructResult(made.urn, self._package.outputs(resource_type, made))


def _input_error(name: str, refused: FindingsError, inputs: Mapping[str, Any]) -> InputPropertiesError:
    """All errors as one; those that are about no property in particular are in its message."""
    errors = [finding for finding in refused.findings if finding.severity is Severity.ERROR]
    details: list[InputPropertyErrorDetails] = []
    message = f"{number(len(errors), 'error')} in the arguments of {printable(name)}"
    for finding in errors:
        path = format_path(path_as_given(_place(finding), inputs))
        if path:
            details.append({"property_path": printable(path, len(path)), "reason": _reason(finding)})
        else:
            message += f"{_NEXT_LINE}- {_reason(finding)}"
    return InputPropertiesError(message, details)


def _place(finding: Finding) -> findings.Path:
    """The path of a finding; of a missing key, the path that it should have."""
    missing = _MISSING.match(finding.message)
    return (*finding.path, missing[1]) if missing and finding.path[-1:] != (missing[1],) else finding.path


def _reason(finding: Finding) -> str:
    """The message, followed by a line for each alternative."""
    # Imported here like the components: only an invalid plan needs it.
    from pulumi_gke_tpu.features.plugin.arguments import in_camel_case

    lines = [f"{finding.rule} {finding.message}"]
    if finding.choices:
        lines.append(f"allowed: {', '.join(finding.choices)}")
    if finding.fix and "\n" not in finding.fix:
        lines.append(f"try: {finding.fix}")
    elif finding.advice:
        lines.append(f"fix: {finding.advice}")
    if finding.why:
        lines.append(f"why: {finding.why}")
    return f"{_NEXT_LINE}  ".join(in_camel_case(printable(line, len(line))) for line in lines)


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
