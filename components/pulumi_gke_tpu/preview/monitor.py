"""The embedded engine: runs a Pulumi program in this process and keeps every whole registration request."""

import asyncio
import concurrent.futures
import contextvars
import inspect
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime import mocks, rpc, set_all_config, settings
from pulumi.runtime.proto import provider_pb2, resource_pb2
from pulumi.runtime.stack import run_in_stack

from pulumi_gke_tpu.core.graph.model import Graph, Options, Resource
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.preview.goals import Callbacks, Goals
from pulumi_gke_tpu.preview.output_values import secret_content

_STACK = "pulumi:pulumi:Stack"
_THREADS = 32
_INVOKE_RESPONSE: Any = getattr(resource_pb2, "ResourceInvokeResponse", None) or provider_pb2.InvokeResponse
"""In older SDKs it is the answer of a provider."""

Program = Callable[[], object]
"""Registers resources. What it gives back is awaited where it can be, and else ignored."""


def run_program(
    program: Program,
    *,
    project: str = "gke-tpu",
    stack: str = "preview",
    functions: Mapping[str, Mapping[str, Any]] | None = None,
    config: Mapping[str, object] | None = None,
) -> Graph:
    """Run a program as ``pulumi preview`` would and give the graph of what it registers.

    Needs no Pulumi CLI, no credentials and no network. Outputs that only a provider knows stay unknown, and so do the
    answers of provider functions such as ``gcp.compute.get_network_output``, unless ``functions`` gives them: token
    (``gcp:compute/getNetwork:getNetwork``) -> answer with camelCase keys. The program runs in a thread with settings
    of its own, so a surrounding Pulumi program is not disturbed.

    ``config`` is the configuration of the program, with the keys and values of ``Pulumi.STACK.yaml``: ``acme:zone``,
    or ``zone`` for the namespace of the project. A secret is ``{"secure": "text"}``, with the text itself: the stack
    file has it encrypted. What ``require_secret`` gives is a secret, and like every secret it is unknown in the graph.

    Raises:
        LookupError: the program needs the answer of a function at once, and ``functions`` has none.
        TypeError: a value of ``config`` is none that ``Pulumi.STACK.yaml`` can have.
        Exception: the exception of the program.
    """
    callbacks = Callbacks()
    monitor = _RecordingMonitor(project, stack, Goals(callbacks), functions or {})
    failures: list[BaseException] = []
    values, secrets = _config_of_program(config or {}, project)

    def run() -> None:
        if config is not None:
            set_all_config(values, secrets)
        settings.configure(
            settings.Settings(
                project=project, stack=stack, monitor=monitor, engine=mocks.MockEngine(None), dry_run=True
            )
        )
        callbacks.attach(monitor)
        try:
            asyncio.run(run_in_stack(lambda: _started(program, callbacks)))
        except BaseException as failure:
            failures.append(failure)

    # A context of its own: a copy would bring along the stack of a surrounding program, and there is only ever one.
    context = contextvars.Context()
    thread = threading.Thread(target=context.run, args=(run,), name="pulumi-preview")
    thread.start()
    thread.join()
    if failures:
        monitor.explain(failures[0])
        raise failures[0]
    return monitor.graph()


def _config_of_program(config: Mapping[str, object], project: str) -> tuple[dict[str, str], list[str]]:
    """The texts that the engine passes to a program, by full key, and the keys of those with a secret."""
    values: dict[str, str] = {}
    secrets: list[str] = []
    for key, value in config.items():
        full_key = key if ":" in key else f"{project}:{key}"
        in_clear, has_secret = _without_secure(value)
        values[full_key] = _config_text(key, in_clear)
        secrets += [full_key] if has_secret else []
    return values, secrets


def _config_text(key: str, value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f'config `{key}` has a value that no stack file has: {error}. Secrets: {{"secure": "text"}}'
        ) from None


def _without_secure(value: object) -> tuple[object, bool]:
    """A value with the texts of its secrets, and whether it has one."""
    if isinstance(value, Mapping):
        if set(value) == {"secure"} and isinstance(value["secure"], str):
            return value["secure"], True
        items = {name: _without_secure(item) for name, item in value.items()}
        return {name: item for name, (item, _) in items.items()}, any(secret for _, secret in items.values())
    if isinstance(value, list | tuple):
        parts = [_without_secure(item) for item in value]
        return [item for item, _ in parts], any(secret for _, secret in parts)
    return value, False


async def _started(program: Program, callbacks: Callbacks) -> None:
    """Run a program until its registrations have begun.

    The SDK waits for registrations that have begun one after the other; with none it would wait for all outputs at
    once, over and over, which takes quadratic time. Registrations are answered in threads, since an answer may have to
    wait for a transform, which may wait for another answer.
    """
    callbacks.listen()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_unless_told)
    loop.set_default_executor(concurrent.futures.ThreadPoolExecutor(_THREADS))
    result = program()
    if inspect.isawaitable(result):
        await result
    await asyncio.sleep(0)


def _unless_told(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Ignore asyncio's messages about failures that no coroutine awaits.

    The SDK gives up with the first failure, which the caller gets; each resource that fails for the same reason, or
    waits for one that failed, would be reported as well, with a traceback.
    """
    if "never retrieved" not in context.get("message", ""):
        loop.default_exception_handler(context)


class _NoMocks(mocks.Mocks):
    """Required by the base class; registrations and calls are answered by the monitor itself."""

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[str, Any], list[tuple[str, str]] | None]:
        return {}, None

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        return "", args.inputs


class _RecordingMonitor(mocks.MockMonitor):
    """Answers like an engine in preview: inputs come back, everything else is unknown."""

    def __init__(self, project: str, stack: str, goals: Goals, answers: Mapping[str, Mapping[str, Any]]) -> None:
        super().__init__(_NoMocks())
        self.goals = goals
        self.answers = answers
        self.unanswered: set[str] = set()
        # Kept here: requests are served in other threads, where older SDKs do not see the settings.
        self.project = project
        self.stack = stack
        self.resources_by_urn: dict[str, Resource] = {}

    def make_urn(self, parent: str, type_: str, name: str) -> str:
        """The URN as the engine makes it: with the types of all ancestors but the stack, without their names."""
        ancestors = parent.split("::")[2] if parent else _STACK
        qualified = type_ if ancestors == _STACK else f"{ancestors}${type_}"
        return f"urn:pulumi:{self.stack}::{self.project}::{qualified}::{name}"

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - the name of the gRPC method
        urn = self.make_urn(request.parent, request.type, request.name)
        if request.type != _STACK:
            self.goals.complete(urn, request)
            resource = _resource(urn, request)
            if self.resources_by_urn.setdefault(urn, resource) is not resource:
                raise ValueError(f"two resources have the URN {urn}")
        # To a local component the engine gives nothing back.
        outputs = request.object if request.custom or request.remote else None
        return resource_pb2.RegisterResourceResponse(urn=urn, id="", object=outputs)

    def ReadResource(self, request: Any) -> Any:  # noqa: N802 - the name of the gRPC method
        """Read a resource of another program: only its id is known, not its properties."""
        urn = self.make_urn(request.parent, request.type, request.name)
        response = resource_pb2.ReadResourceResponse(urn=urn, properties=request.properties)
        if hasattr(response, "id") and request.id != rpc.UNKNOWN:  # older SDKs take the id of the request
            response.id = request.id
        return response

    def RegisterStackTransform(self, request: Any) -> Any:  # noqa: N802 - the name of the gRPC method
        self.goals.stack_transforms.append(request.token)
        return empty_pb2.Empty()

    def RegisterStackInvokeTransform(self, request: Any) -> Any:  # noqa: N802 - the name of the gRPC method
        self.goals.invoke_transforms.append(request.token)
        return empty_pb2.Empty()

    def Invoke(self, request: Any) -> Any:  # noqa: N802 - the name of the gRPC method
        self.goals.complete_invoke(request)
        response = _INVOKE_RESPONSE()
        if request.tok in self.answers:
            getattr(response, "return").update(self.answers[request.tok])
        else:
            self.unanswered.add(request.tok)
            if hasattr(response, "unknown"):  # without it, the answer is empty
                response.unknown = True
        return response

    def explain(self, failure: BaseException) -> None:
        """Raise a clearer error if a program reads the answer of a function without a configured answer.

        Raises:
            LookupError: it did.
        """
        if isinstance(failure, AssertionError) and self.unanswered:
            missing = ", ".join(sorted(self.unanswered))
            raise LookupError(
                f"the program needs what {missing} answers: give it with run_program(functions={{token: answer}})"
            ) from failure

    def graph(self) -> Graph:
        """Everything that was registered, by URN."""
        return Graph(tuple(self.resources_by_urn[urn] for urn in sorted(self.resources_by_urn)))


def _resource(urn: str, request: Any) -> Resource:
    sources = {name: tuple(sorted(item.urns)) for name, item in request.propertyDependencies.items()}
    inputs = {
        name: _value(value, Unknown(sources.get(name, ()))) for name, value in sorted(request.object.fields.items())
    }
    return Resource(
        urn=urn,
        type=request.type,
        name=request.name,
        parent="" if f"::{_STACK}::" in request.parent else request.parent,
        custom=request.custom,
        inputs=inputs,
        options=_options(request),
        sources={name: urns for name, urns in sorted(sources.items()) if urns},
    )


def _options(request: Any) -> Options:
    timeouts = json_format.MessageToDict(request.customTimeouts) if request.HasField("customTimeouts") else {}
    return Options(
        protect=request.protect if request.HasField("protect") else None,
        delete_before_replace=request.deleteBeforeReplace if request.deleteBeforeReplaceDefined else None,
        replace_on_changes=tuple(request.replaceOnChanges),
        ignore_changes=tuple(request.ignoreChanges),
        retain_on_delete=request.retainOnDelete if request.HasField("retainOnDelete") else None,
        custom_timeouts=tuple(sorted((name, str(value)) for name, value in timeouts.items())),
        aliases=tuple(_alias(alias) for alias in request.aliases),
        depends_on=tuple(sorted(set(request.dependencies))),
        provider=request.provider,
    )


def _alias(alias: Any) -> str:
    """An alias as its URN, or as the parts that differ: ``name=..., type=...``."""
    parts = {"name": alias.spec.name, "type": alias.spec.type, "project": alias.spec.project}
    return alias.urn or ", ".join(f"{part}={value}" for part, value in parts.items() if value)


def _value(value: struct_pb2.Value, unknown: Unknown) -> Any:
    """A property as plain data; whole numbers become ints again, secrets give their value, unknowns become markers."""
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return unknown if value.string_value == rpc.UNKNOWN else value.string_value
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    if kind == "bool_value":
        return value.bool_value
    if kind == "list_value":
        return [_value(item, unknown) for item in value.list_value.values]
    return _structure(value, unknown) if kind == "struct_value" else None


def _structure(value: struct_pb2.Value, unknown: Unknown) -> Any:
    """A mapping, or a secret, which is never shown and counts as a value known later."""
    if secret_content(value) is not None:
        return unknown
    return {name: _value(item, unknown) for name, item in sorted(value.struct_value.fields.items())}
