"""From what a program asks for to what the engine aims at: options of the parent are inherited, transforms are run.

Order and effect are those of the engine's resource monitor (``resource/deploy/source_eval.go`` in pulumi/pulumi, read
in version 3.259).
"""

import asyncio
import contextvars
from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct
from pulumi.runtime import settings
from pulumi.runtime._callbacks import _CallbackServicer
from pulumi.runtime.proto import alias_pb2, resource_pb2

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.preview.output_values import from_output_values, sources_of, to_output_values


class Callbacks(_CallbackServicer):
    """The SDK's list of callbacks, without the server: it opens no port, and keeps the type of exceptions.

    The SDK asks its settings for one before it makes one, so the list for the whole program must be set before.
    """

    def __init__(self) -> None:  # not that of the base class, which would make a server
        self._target = "this process"
        self._callbacks = {}
        self._transforms = {}
        self._state_migrations = {}

    def attach(self, monitor: Any) -> None:
        """Take the callbacks of the program whose settings these are; call before it starts."""
        self._monitor = monitor
        settings.SETTINGS.callbacks = self

    def listen(self) -> None:
        """Run callbacks in the current event loop, with the settings of the caller."""
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()

    def call(self, token: str, request: Message) -> Any:
        """The answer of a callback. Not to be called in the event loop itself, since it waits.

        Raises:
            Exception: the exception of the callback.
        """

        async def answer() -> Message:
            return await self._callbacks[token](request.SerializeToString())

        return self._context.copy().run(asyncio.run_coroutine_threadsafe, answer(), self._loop).result()


_REQUEST_FIELDS = {
    "additional_secret_outputs": "additionalSecretOutputs",
    "aliases": "aliases",
    "custom_timeouts": "customTimeouts",
    "deleted_with": "deletedWith",
    "depends_on": "dependencies",
    "hide_diff": "hideDiffs",
    "hooks": "hooks",
    "ignore_changes": "ignoreChanges",
    "import": "importId",
    "plugin_checksums": "pluginChecksums",
    "plugin_download_url": "pluginDownloadURL",
    "protect": "protect",
    "provider": "provider",
    "providers": "providers",
    "replace_on_changes": "replaceOnChanges",
    "replace_with": "replace_with",
    "replacement_trigger": "replacement_trigger",
    "retain_on_delete": "retainOnDelete",
    "version": "version",
}
"""Options as a transform calls them -> as a registration does; delete_before_replace takes two fields there."""
_INHERITED = ("protect", "retainOnDelete")
_OPTIONS = {there: here for here, there in _REQUEST_FIELDS.items()}


@frozen
class _Registered:
    """What matters of a resource to those below it."""

    parent: str
    transforms: tuple[str, ...]
    options: Mapping[str, Any]
    """The options that children take over where they have none themselves."""
    provider: str
    providers: Mapping[str, str]


class Goals:
    """Completes the requests of one program, each by what was registered before it."""

    def __init__(self, callbacks: Callbacks) -> None:
        self.stack_transforms: list[str] = []
        """Tokens of the transforms that run for every resource."""
        self.invoke_transforms: list[str] = []
        """Tokens of the transforms that run for every function call."""
        self._callbacks = callbacks
        self._registered: dict[str, _Registered] = {}

    def complete(self, urn: str, request: Any) -> None:
        """Change a registration into what the engine carries out."""
        parent = self._registered.get(request.parent)
        if parent is not None:
            _inherit(request, parent)
        transforms = self._transforms_for(request)
        if transforms:
            self._transform(request, transforms)
        if not request.custom:
            _complete_providers(request, parent)
        self._registered[urn] = _registered(request)

    def complete_invoke(self, request: Any) -> None:
        """Change a function call into what the engine calls."""
        if not self.invoke_transforms:
            return
        options = resource_pb2.TransformInvokeOptions(
            provider=request.provider, version=request.version, plugin_download_url=request.pluginDownloadURL
        )
        args = to_output_values(request.args, {})
        for token in self.invoke_transforms:
            asked = resource_pb2.TransformInvokeRequest(token=request.tok, args=args, options=options)
            answer = self._callbacks.call(token, asked)
            args = answer.args if answer.HasField("args") else args
            options = answer.options if answer.HasField("options") else options
        request.args.CopyFrom(from_output_values(args))
        request.provider, request.version = options.provider, options.version
        request.pluginDownloadURL = options.plugin_download_url

    def _transforms_for(self, request: Any) -> list[str]:
        """Its own first, then those of its ancestors, the nearest first, then the stack's."""
        transforms = [callback.token for callback in request.transforms]
        above = self._registered.get(request.parent)
        while above is not None:
            transforms += above.transforms
            above = self._registered.get(above.parent)
        return transforms + self.stack_transforms

    def _transform(self, request: Any, transforms: Sequence[str]) -> None:
        own = bool(request.transforms)
        sources = {name: item.urns for name, item in request.propertyDependencies.items()} if own else {}
        properties, options = to_output_values(request.object, sources), _options(request)
        for token in transforms:
            asked = resource_pb2.TransformRequest(
                type=request.type,
                name=request.name,
                custom=request.custom,
                parent=request.parent,
                properties=properties,
                options=options,
            )
            answer = self._callbacks.call(token, asked)
            properties = answer.properties if answer.HasField("properties") else properties
            options = answer.options if answer.HasField("options") else options
        before = list(request.dependencies)
        _set_options(request, options)
        request.object.CopyFrom(from_output_values(properties))
        if own:
            _set_dependencies(request, properties)
        else:
            # The engine reads the dependencies again only where a resource has transforms of its own.
            request.dependencies[:] = before


def _registered(request: Any) -> _Registered:
    return _Registered(
        parent=request.parent,
        transforms=tuple(callback.token for callback in request.transforms),
        options={name: getattr(request, name) for name in _INHERITED if request.HasField(name)},
        provider=request.provider,
        providers={} if request.custom else dict(request.providers),
    )


def _inherit(request: Any, parent: _Registered) -> None:
    for name, value in parent.options.items():
        if not request.HasField(name):
            setattr(request, name, value)
    if request.custom and not request.provider:
        package = request.type.partition(":")[0]
        above = parent.provider if _package(parent.provider) == package else parent.providers.get(package, "")
        request.provider = request.providers.get(package, "") or above


def _complete_providers(component: Any, parent: _Registered | None) -> None:
    """A component hands on the providers of its parent, and has none itself unless it lives in another process."""
    for package, provider in (parent.providers if parent else {}).items():
        if package not in component.providers:
            component.providers[package] = provider
    if not component.remote:
        component.ClearField("provider")


def _package(provider: str) -> str:
    """The package of a provider reference, which is the URN of the provider and its id."""
    return provider.split("::")[2].rpartition(":")[2] if provider else ""


def _options(request: Any) -> resource_pb2.TransformResourceOptions:
    options = resource_pb2.TransformResourceOptions(
        aliases=[alias_pb2.Alias(urn=urn) for urn in request.aliasURNs],
    )
    _carry(request, options, _OPTIONS)
    if request.deleteBeforeReplaceDefined or request.deleteBeforeReplace:
        options.delete_before_replace = request.deleteBeforeReplace
    return options


def _set_options(request: Any, options: Any) -> None:
    for name in ("aliasURNs", *_REQUEST_FIELDS.values()):
        request.ClearField(name)
    _carry(options, request, _REQUEST_FIELDS)
    request.deleteBeforeReplaceDefined = options.HasField("delete_before_replace")
    request.deleteBeforeReplace = options.delete_before_replace


def _carry(source: Message, target: Message, names: Mapping[str, str]) -> None:
    """Copy the fields that are set from one message to another, in which they have other names."""
    for field, value in source.ListFields():
        name = names.get(field.name)
        if name is None:
            continue
        if hasattr(value, "MergeFrom"):  # a message, a list, a mapping
            getattr(target, name).MergeFrom(value)
        else:
            setattr(target, name, value)


def _set_dependencies(request: Any, properties: Struct) -> None:
    """The dependencies of a property are those of its current value; a value that a transform replaced has none."""
    request.propertyDependencies.clear()
    found: set[str] = set(request.dependencies)
    for name, value in properties.fields.items():
        urns = sources_of(value)
        request.propertyDependencies[name].urns.extend(sorted(urns))
        found |= urns
    request.dependencies[:] = sorted(found)
