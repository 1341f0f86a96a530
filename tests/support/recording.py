"""A resource monitor for tests that keeps every request of a Pulumi program as it was sent.

It shares no code with the embedded preview, so that the two can be held against each other.
"""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from google.protobuf import empty_pb2, json_format
from pulumi.runtime import settings
from pulumi.runtime.proto import engine_pb2, resource_pb2
from pulumi.runtime.stack import run_in_stack

STACK = "pulumi:pulumi:Stack"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""What the SDK sends for a value that is known later."""
_SIGNATURE = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"
_FEATURES = resource_pb2.DeploymentInfo(
    supportedFeatures=[
        resource_pb2.RESOURCE_MONITOR_FEATURE_SECRETS,
        resource_pb2.RESOURCE_MONITOR_FEATURE_RESOURCE_REFERENCES,
        resource_pb2.RESOURCE_MONITOR_FEATURE_ALIAS_SPECS,
        resource_pb2.RESOURCE_MONITOR_FEATURE_TRANSFORMS,
    ]
)


@dataclass(frozen=True)
class Registration:
    """One resource as the engine is asked for it. ``request`` is the whole message."""

    urn: str
    request: Any
    outputs: dict[str, Any] = field(default_factory=dict)
    """What a component registered as its outputs."""

    @property
    def type(self) -> str:
        return str(self.request.type)

    @property
    def name(self) -> str:
        return str(self.request.name)

    @property
    def inputs(self) -> dict[str, Any]:
        """The properties as plain data; an unknown value is :data:`UNKNOWN`."""
        properties: dict[str, Any] = _plain(json_format.MessageToDict(self.request.object))
        return properties

    @property
    def protect(self) -> bool | None:
        return bool(self.request.protect) if self.request.HasField("protect") else None

    @property
    def replace_on_changes(self) -> tuple[str, ...]:
        return tuple(self.request.replaceOnChanges)

    @property
    def ignore_changes(self) -> tuple[str, ...]:
        return tuple(self.request.ignoreChanges)

    @property
    def timeouts(self) -> dict[str, str]:
        return dict(json_format.MessageToDict(self.request.customTimeouts))

    @property
    def former_names(self) -> tuple[str, ...]:
        """Names of its aliases; aliases that the SDK adds for former types have none."""
        return tuple(alias.spec.name for alias in self.request.aliases if alias.spec.name)


@dataclass(frozen=True)
class Recording:
    """Everything that a program registered, in the order of registration."""

    registrations: tuple[Registration, ...]
    urns: tuple[str, ...]
    """URNs in the order in which they came, repeated where a program registered one twice."""
    messages: tuple[str, ...] = ()
    """What the program logged, debugging apart."""

    def __iter__(self) -> Iterator[Registration]:
        return iter(self.registrations)

    def of_type(self, type_token: str) -> list[Registration]:
        return [item for item in self.registrations if item.type == type_token]

    def one(self, type_token: str, name: str | None = None) -> Registration:
        """The only resource of a type, or the one of that name."""
        found = [item for item in self.of_type(type_token) if name in (None, item.name)]
        names = [item.name for item in self.of_type(type_token)]
        assert len(found) == 1, f"{len(found)} of {type_token} {name or ''}; there are {names}"
        return found[0]


class _Monitor:
    """The part of the engine that a program talks to."""

    def __init__(
        self, project: str, stack: str, known: Callable[[Any], Mapping[str, Any]] | None, hooks: bool = False
    ) -> None:
        self.place = f"urn:pulumi:{stack}::{project}::"
        self.known = known
        self.hooks = hooks
        self.requests: dict[str, Any] = {}
        self.outputs: dict[str, Any] = {}
        self.urns: list[str] = []

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - the name of the gRPC method
        chain = request.type
        if request.parent and STACK not in request.parent:
            chain = f"{request.parent.removeprefix(self.place).split('::')[0]}${chain}"
        urn = f"{self.place}{chain}::{request.name}"
        if request.type != STACK:
            self.urns.append(urn)
            self.requests[urn] = request
        response = resource_pb2.RegisterResourceResponse(urn=urn, object=request.object)
        if self.known is not None and request.custom:
            response.id = f"{request.name}-id"
            response.object.update(dict(self.known(request)))
        return response

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802
        self.outputs[request.urn] = _plain(json_format.MessageToDict(request.outputs))
        return empty_pb2.Empty()

    def ReadResource(self, request: Any) -> Any:  # noqa: N802
        urn = f"{self.place}{request.type}::{request.name}"
        return resource_pb2.ReadResourceResponse(urn=urn, properties=request.properties)

    def Invoke(self, request: Any) -> Any:  # noqa: N802
        raise AssertionError(f"nothing here may look anything up: {request.tok}")

    def SupportsFeature(self, request: Any) -> Any:  # noqa: N802
        supported = request.id in ("secrets", "resourceReferences", "aliasSpecs", "transforms")
        supported = supported or (self.hooks and request.id == "resourceHooks")
        return resource_pb2.SupportsFeatureResponse(hasSupport=supported)

    def GetDeploymentInfo(self, request: Any) -> Any:  # noqa: N802
        info = resource_pb2.DeploymentInfo()
        info.CopyFrom(_FEATURES)
        if self.hooks:
            info.supportedFeatures.append(resource_pb2.RESOURCE_MONITOR_FEATURE_RESOURCE_HOOKS)
        return info

    def RegisterResourceHook(self, request: Any) -> Any:  # noqa: N802
        return empty_pb2.Empty()

    def RegisterPackage(self, request: Any) -> Any:  # noqa: N802
        return resource_pb2.RegisterPackageResponse(ref="package")

    def SignalAndWaitForShutdown(self, request: Any) -> Any:  # noqa: N802
        return empty_pb2.Empty()

    def RegisterStackTransform(self, request: Any) -> Any:  # noqa: N802
        return empty_pb2.Empty()


class _Engine:
    """Where a program logs to."""

    def __init__(self) -> None:
        self.root = ""
        self.messages: list[str] = []

    def Log(self, request: Any) -> Any:  # noqa: N802
        if request.severity != engine_pb2.DEBUG:
            self.messages.append(request.message)
        return empty_pb2.Empty()

    def GetRootResource(self, request: Any) -> Any:  # noqa: N802
        return engine_pb2.GetRootResourceResponse(urn=self.root)

    def SetRootResource(self, request: Any) -> Any:  # noqa: N802
        self.root = request.urn
        return engine_pb2.SetRootResourceResponse()


def record(
    program: Callable[[], object],
    *,
    project: str = "gke-tpu",
    stack: str = "preview",
    known: Callable[[Any], Mapping[str, Any]] | None = None,
    partial: list[str] | None = None,
    hooks: bool = False,
) -> Recording:
    """Run a program and keep what it asks the engine for.

    As in a preview, what a provider would answer stays unknown. ``known`` makes it an update instead: it gives the
    outputs of a request. ``partial`` receives the URNs registered so far also where the program fails. With ``hooks``
    the engine takes resource hooks, as every current one does; the SDK then starts a server for them.
    """
    monitor, engine = _Monitor(project, stack, known, hooks), _Engine()
    failures: list[BaseException] = []

    def start() -> None:
        program()

    def run() -> None:
        settings.configure(
            settings.Settings(project=project, stack=stack, monitor=monitor, engine=engine, dry_run=known is None)
        )
        try:
            asyncio.run(run_in_stack(start))
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=contextvars.Context().run, args=(run,))
    thread.start()
    thread.join()
    if partial is not None:
        partial.extend(monitor.urns)
    if failures:
        raise failures[0]
    registrations = tuple(
        Registration(urn, request, monitor.outputs.get(urn, {})) for urn, request in monitor.requests.items()
    )
    return Recording(registrations, tuple(monitor.urns), tuple(engine.messages))


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        if value.get(_SIGNATURE) == _SECRET:
            return {"secret": _plain(value["value"])}
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value
