"""Registers declared resources with Pulumi and resolves their references to outputs. It makes no decisions."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import pulumi

from pulumi_gke_tpu.components.creation import creation_hooks
from pulumi_gke_tpu.components.plugin_version import plugin_version
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.graph.declared import Alias, Composed, Declarations, Declared, Key, Ref
from pulumi_gke_tpu.core.graph.resource_types import provider_of
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.findings import printable


class Registration:
    """The declared resources of one outermost component, and those that are already registered."""

    def __init__(self, resources: Iterator[Declared], catalog: Catalog) -> None:
        self.declared = Declarations(resources)
        outermost = self.declared.outermost
        checked = any(resource.options.checked_update for resource in self.declared)
        owner = f"{outermost.type.rpartition(':')[2]} {outermost.name}"
        self._hooks = creation_hooks(owner, catalog) if checked else None
        self._registered: dict[Key, pulumi.Resource] = {}

    def add(self, key: Key, resource: pulumi.Resource) -> None:
        """Keep a registered resource for those that refer to it."""
        self._registered[key] = resource

    def register(self, declared: Declared, parent: pulumi.Resource) -> pulumi.CustomResource:
        """Register a resource."""
        properties = {name: self.resolve(value) for name, value in declared.properties.items()}
        outputs = dict.fromkeys(self.declared.wanted(declared.key) - {"id"})
        resource = pulumi.CustomResource(
            declared.type, declared.name, {**outputs, **properties}, self._options(declared, parent)
        )
        self.add(declared.key, resource)
        return resource

    def resolve(self, value: object) -> Any:
        """A declared value as Pulumi takes it."""
        if isinstance(value, Ref):
            return self._output(value)
        if isinstance(value, Composed):
            composed = pulumi.Output.all(*map(self._output, value.refs)).apply(lambda parts: value.make(*parts))
            return pulumi.Output.secret(composed) if value.secret else composed
        if isinstance(value, Unknown):
            return value.output
        if isinstance(value, Mapping):
            return {name: self.resolve(item) for name, item in value.items()}
        return [self.resolve(item) for item in value] if isinstance(value, list | tuple) else value

    def _output(self, ref: Ref) -> pulumi.Output[Any]:
        output: pulumi.Output[Any] = getattr(self._registered[ref.resource], ref.property)
        if ref.read is not None:
            output = output.apply(ref.read)
        return pulumi.Output.secret(output) if ref.secret else output

    def _options(self, declared: Declared, parent: pulumi.Resource) -> pulumi.ResourceOptions:
        options = declared.options
        return pulumi.ResourceOptions(
            parent=parent,
            protect=options.protect,
            delete_before_replace=options.delete_before_replace,
            replace_on_changes=list(options.replace_on_changes),
            ignore_changes=list(options.ignore_changes),
            custom_timeouts=pulumi.CustomTimeouts(**dict(options.custom_timeouts)) if options.custom_timeouts else None,
            aliases=aliases_of(options.aliases),
            depends_on=[self._registered[key] for key in options.depends_on],
            additional_secret_outputs=list(options.secret_outputs),
            hooks=self._hooks if options.checked_update else None,
            version=plugin_version(provider_of(declared.type)),
        )


Within = tuple[Declared, Registration]
"""A declared component, and the registration that it belongs to."""


def alone(resources: Iterator[Declared], catalog: Catalog) -> Within:
    """A component that the program itself registers: the first of these resources."""
    registration = Registration(resources, catalog)
    return registration.declared.outermost, registration


class DeclaredComponent(pulumi.ComponentResource):
    """A base class of components whose resources are declared before they are registered."""

    def __init_subclass__(cls, arguments: type | None = None) -> None:
        """Show the arguments of a component in ``help``."""
        _, _, keys = (inspect.getdoc(arguments) or "").partition("\n\n")
        if keys:
            cls.__doc__ = f"{inspect.cleandoc(cls.__doc__ or '')}\n\n{keys}"

    def __init__(self, opts: pulumi.ResourceOptions | None, within: Within) -> None:
        declared, registration = within
        super().__init__(
            declared.type, declared.name, declared.properties, component_options(opts, declared.options.aliases)
        )
        registration.add(declared.key, self)
        self._components: dict[str, Any] = {}
        self._resources: list[tuple[Declared, pulumi.CustomResource]] = []
        for inner in registration.declared.children(declared.key):
            if inner.custom:
                self._resources.append((inner, registration.register(inner, self)))
            else:
                options = pulumi.ResourceOptions(parent=self)
                made = inside(self._classes()[inner.type], (inner, registration), options)
                self._components[inner.name.rpartition("/")[2]] = made
        self._outputs: dict[str, pulumi.Output[Any]] = {
            name: pulumi.Output.from_input(registration.resolve(value))
            for name, value in (declared.outputs or {}).items()
        }
        self.register_outputs(dict(self._outputs))

    def _output(self, name: str) -> pulumi.Output[Any]:
        """An output by its name."""
        return self._outputs[name]

    def _resources_of(self, type_: str) -> dict[str, pulumi.CustomResource]:
        """The resources of a type by their name in GKE. They have outputs, but no typed properties."""
        return {str(declared.properties["name"]): made for declared, made in self._resources if declared.type == type_}

    def _classes(self) -> Mapping[str, type["DeclaredComponent"]]:
        """The classes of the components inside, by type."""
        return {}


def inside(kind: type[DeclaredComponent], within: Within, opts: pulumi.ResourceOptions) -> DeclaredComponent:
    """A component inside another one. Its arguments were checked with those of the outermost component."""
    component = kind.__new__(kind)
    DeclaredComponent.__init__(component, opts, within)
    return component


def aliases_of(aliases: tuple[Alias, ...]) -> list[pulumi.Alias]:
    """Declared aliases as Pulumi takes them."""

    def taken(alias: Alias) -> pulumi.Alias:
        written: dict[str, Any] = {"name": alias.name, "type_": alias.type}
        return pulumi.Alias(**{part: value for part, value in written.items() if value})

    return [taken(alias) for alias in aliases]


def component_options(opts: pulumi.ResourceOptions | None, aliases: tuple[Alias, ...]) -> pulumi.ResourceOptions:
    """The options of a component, with its aliases, and with ``depends_on`` for everything inside it.

    Pulumi itself applies ``depends_on`` only to the component, which does not delay the resources inside.
    """
    if opts is not None and not isinstance(opts, pulumi.ResourceOptions):
        raise TypeError(f"options are given as pulumi.ResourceOptions(...), not as {type(opts).__name__}")
    if opts is not None and not isinstance(opts.parent, pulumi.Resource | None):
        raise TypeError(f"the option `parent` is a resource, and not {printable(opts.parent)}")
    waits_for = opts.depends_on if opts else None

    def wait(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult:
        options = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(depends_on=waits_for))
        return pulumi.ResourceTransformationResult(args.props, options)

    ours = pulumi.ResourceOptions(aliases=aliases_of(aliases), transformations=[wait] if waits_for else None)
    return pulumi.ResourceOptions.merge(opts, ours)
