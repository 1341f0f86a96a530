"""The pods that a template creates: how many they are, and what they select and request."""

import functools
import itertools
from collections.abc import Iterator
from dataclasses import field
from fractions import Fraction
from typing import Any, Literal

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects.document import KubernetesObject, items, mapping, text
from pulumi_gke_tpu.core.objects.open_values import has_open_key, is_open
from pulumi_gke_tpu.core.text.findings import Path, quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity


@frozen
class Selection:
    """The values of a node label that a pod accepts, and where the first of them is."""

    values: tuple[str, ...]
    path: Path
    open: bool
    """Whether a value is a template expression, so that the values are unknown."""


@frozen(eq=False)
class Container:
    """A container of a pod template. ``path`` leads to it from the object."""

    path: Path
    data: dict[str, Any] = field(repr=False)
    init: bool
    """Whether it is an init container."""

    @property
    def name(self) -> str:
        """The name."""
        return text(self.data.get("name"))

    def amount(self, kind: Literal["requests", "limits"], resource: str) -> object:
        """The written request or limit of a resource; None if there is none."""
        return mapping(mapping(self.data.get("resources")).get(kind)).get(resource)

    def amounts(self, resource: str) -> dict[Literal["limits", "requests"], object]:
        """The written limit and request of a resource, without what is not written."""
        kinds: tuple[Literal["limits"], Literal["requests"]] = ("limits", "requests")
        return {kind: amount for kind in kinds if (amount := self.amount(kind, resource)) is not None}

    def amount_path(self, kind: Literal["requests", "limits"], resource: str) -> Path:
        """The path of a request or limit."""
        return (*self.path, "resources", kind, resource)

    @property
    def open_resources(self) -> bool:
        """Whether a template may add requests or limits."""
        resources = self.data.get("resources")
        parts = (resources, mapping(resources).get("requests"), mapping(resources).get("limits"))
        return any(is_open(part) or has_open_key(mapping(part)) for part in parts) or has_open_key(self.data)


TEMPLATE = "<template>"
"""The first step of a path that begins in the Pod template, not in the object."""


@frozen
class PodTraits:
    """How the pods of a template are counted, numbered, named and restarted. The module of their kind states it."""

    slices: Literal["pods", "groups", ""] = "pods"
    """What fills slices: all pods of the template, or each group one slice. Empty if nothing in the object tells."""
    multislice: bool = False
    """Whether the pods of all slices run one program, for which GKE sets the variables of several slices."""
    one_per_node: bool = False
    """Whether the controller runs one pod on each node, and no pod needs another."""
    leader: bool = False
    """Whether the pods lead groups of others."""
    indexed: bool = True
    """Whether the controller gives each pod a number."""
    job: Literal["", "own", "member"] = ""
    """Whether a Job creates the pods, whose specification is at ``controlled_by``: the object itself, or one of it."""
    restarts: Literal["any", "not_always", "always"] = "any"
    """The restart policies that the pods can have; ``not_always`` for those that end."""
    restart_policy_required: bool = False
    queued_as: Literal["object", "group", "pod"] = "object"
    """What Kueue admits at once."""
    duration_at: Literal["object", "pod"] = "object"
    """Where Kueue reads the run duration of queued capacity: in the annotations of the object, or of each pod."""
    service_at: Path = ()
    """The key with the name of the headless Service of the pods."""
    names_at: Path = ()
    """The key that turns the names of the pods in DNS off."""
    several_pools: str = ""
    """Why several node pools can mix in a slice of several hosts; empty if the controller prevents it."""


@frozen(eq=False, slots=False)
class PodTemplate:
    """The pods that a part of an object creates. Many rules ask the same of it, so that answers are kept.

    ``path`` leads to the template, and ``controlled_by`` to the specification that counts its pods; both are paths in
    the object. ``pods`` is the number of pods that belong together, such as the completions of a Job or the hosts of a
    Ray worker group; ``groups`` the number of such sets. Both are None if they are unknown.
    """

    owner: KubernetesObject
    path: Path
    data: dict[str, Any] = field(repr=False)
    traits: PodTraits
    controlled_by: Path = ()
    role: str = ""
    """Which pods of an object with several templates: ``leader``, ``worker``, or the name of a job or group."""
    pods: int | None = 1
    groups: int | None = 1
    counted_by: str = ""
    """The key at ``controlled_by`` that alone states ``pods``; empty if there is none, or if others matter too."""
    groups_at: Path = ()
    """The key that states ``groups``; ``replicas`` at ``controlled_by`` if it is empty."""
    grows_at: Path = ()
    """The key with the largest number of groups, if the controller changes their number."""

    @property
    def is_pod(self) -> bool:
        """Whether the object is the only Pod of the template; a Pod of a slice can be one of several objects."""
        return self.path == ()

    @functools.cached_property
    def spec(self) -> dict[str, Any]:
        """The specification of the pods."""
        return mapping(self.data.get("spec"))

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of the pods."""
        return mapping(self.data.get("metadata"))

    @property
    def annotations(self) -> dict[str, Any]:
        """The annotations of the pods."""
        return mapping(self.metadata.get("annotations"))

    @property
    def admitted_together(self) -> int | None:
        """The pods that Kueue admits at once; None if their number is unknown."""
        if self.traits.queued_as == "pod":
            return 1
        groups = 1 if self.traits.queued_as == "group" else self.groups
        return None if self.pods is None or groups is None else self.pods * groups

    def at(self, *steps: str | int) -> Path:
        """The path, for a hit, of a value in the specification of the pods."""
        return self.owner.at(*self.path, "spec", *steps)

    def hit_path(self, path: Path) -> Path:
        """The path, for a hit, of a path in the object."""
        return self.owner.at(*path)

    def in_object(self, path: Path) -> Path:
        """The path in the object; ``TEMPLATE`` begins one in the template."""
        return (*self.path, *path[1:]) if path[:1] == (TEMPLATE,) else path

    @property
    def title(self) -> str:
        """The object for a message, with the role of the pods in it."""
        if not self.role:
            return self.owner.title
        return f"{f'Job {quoted(self.role)}' if self.traits.job == 'member' else self.role} of {self.owner.title}"

    @functools.cached_property
    def has_image(self) -> bool:
        """Whether a container has an image. A patch, which Kustomize merges with a whole object, has none."""
        return any("image" in container.data for container in self.containers())

    def containers(self, *, init: bool = False) -> tuple[Container, ...]:
        """The containers; with ``init`` also the init containers."""
        return (*self._containers, *self._init_containers) if init else self._containers

    @functools.cached_property
    def _containers(self) -> tuple[Container, ...]:
        return tuple(self._containers_at("containers"))

    @functools.cached_property
    def _init_containers(self) -> tuple[Container, ...]:
        return tuple(self._containers_at("initContainers"))

    def _containers_at(self, key: str) -> Iterator[Container]:
        for index, container in enumerate(items(self.spec.get(key))):
            if isinstance(container, dict):
                yield Container((*self.path, "spec", key, index), container, key != "containers")

    @functools.cached_property
    def is_open(self) -> bool:
        """Whether a template may add containers or any key of the pods."""
        parts = [self.data.get("spec"), *(self.spec.get(key) for key in ("containers", "nodeSelector", "tolerations"))]
        entries = [*items(self.spec.get("containers")), *items(self.spec.get("tolerations"))]
        return any(is_open(part) or has_open_key(mapping(part)) for part in [*parts, *entries])

    # What the pods select

    @functools.cached_property
    def node_selector(self) -> dict[str, Any]:
        """The node selector."""
        return mapping(self.spec.get("nodeSelector"))

    def selection(self, label: str) -> Selection | None:
        """The values of a label that the pods select, by node selector or required affinity; None if they select none.

        Terms of an affinity are alternatives: the label is selected if every term names values for it.
        """
        if label in self.node_selector:
            value = self.node_selector[label]
            return Selection((label_value(value),), (*self.path, "spec", "nodeSelector", label), is_open(value))
        if not (terms := self._terms):
            return None
        terms_path = (*self.path, "spec", *_REQUIRED)
        found: dict[str, None] = {}
        first: Path = ()
        for index, term in enumerate(terms):
            values = _values_in(mapping(term), label)
            if values is None:
                return None
            found.update(dict.fromkeys(values[1]))
            first = first or (*terms_path, index, "matchExpressions", values[0], "values")
        return Selection(tuple(found), first, any(map(is_open, found))) if found else None

    def required_at(self, label: str) -> Path | None:
        """Where the pods require a node to have a label, with any value; None if a node without it can do."""
        if label in self.node_selector:
            return (*self.path, "spec", "nodeSelector", label)
        places = [_naming(path, mapping(term), label) for path, term in required_terms(self)]
        return places[0] if all(places) and places else None

    @functools.cached_property
    def _terms(self) -> list[Any]:
        """The terms of the required node affinity."""
        return items(value_of(self.spec, _REQUIRED))

    def selected_keys(self) -> Iterator[tuple[str, Path]]:
        """Every label key that a node selector or a required affinity names, with its path in the object."""
        for key in self.node_selector:
            yield key, (*self.path, "spec", "nodeSelector", key)
        for index, term in enumerate(items(value_of(self.spec, _REQUIRED))):
            for position, expression in enumerate(items(mapping(term).get("matchExpressions"))):
                named = mapping(expression).get("key")
                if isinstance(named, str):
                    yield named, (*self.path, "spec", *_REQUIRED, index, "matchExpressions", position, "key")

    def topology_keys(self) -> Iterator[tuple[str, Path]]:
        """Every label key whose values are the topology of an affinity to pods, or of a spread, with its path."""
        affinity = mapping(self.spec.get("affinity"))
        for side, strength in itertools.product(("podAffinity", "podAntiAffinity"), (_HARD, _SOFT)):
            for index, term in enumerate(items(mapping(affinity.get(side)).get(strength))):
                inside = ("podAffinityTerm",) if strength == _SOFT else ()
                path = ("affinity", side, strength, index, *inside, "topologyKey")
                yield from self._topology_key(value_of(mapping(term), (*inside, "topologyKey")), path)
        for index, spread in enumerate(items(self.spec.get("topologySpreadConstraints"))):
            path = ("topologySpreadConstraints", index, "topologyKey")
            yield from self._topology_key(mapping(spread).get("topologyKey"), path)

    def _topology_key(self, key: object, path: Path) -> Iterator[tuple[str, Path]]:
        if isinstance(key, str):
            yield key, (*self.path, "spec", *path)

    # What the pods request

    def chips(self, resource: str) -> Fraction | None:
        """The chips that the containers of one pod request together; None if that is unknown."""
        if resource not in self._chips:
            self._chips[resource] = self._total(resource)
        return self._chips[resource]

    @functools.cached_property
    def _chips(self) -> dict[str, Fraction | None]:
        return {}

    def _total(self, resource: str) -> Fraction | None:
        total = Fraction(0)
        if self.is_open:
            return None
        for container in self.containers():
            amount = container.amount("requests", resource)
            amount = container.amount("limits", resource) if amount is None else amount
            number = Fraction(0) if amount is None else parse_quantity(amount)
            if number is None or container.open_resources:
                return None
            total += number
        return total


_HARD, _SOFT = (f"{word}DuringSchedulingIgnoredDuringExecution" for word in ("required", "preferred"))
_REQUIRED = ("affinity", "nodeAffinity", _HARD, "nodeSelectorTerms")


def required_terms(pod: PodTemplate) -> Iterator[tuple[Path, object]]:
    """The terms of the required node affinity, which are alternatives, with their paths in the object."""
    for index, term in enumerate(items(value_of(pod.spec, _REQUIRED))):
        yield (*pod.path, "spec", *_REQUIRED, index), term


def _naming(path: Path, term: dict[str, Any], label: str) -> Path | None:
    """The first expression of a term that no node without a label fulfills."""
    for index, expression in enumerate(map(mapping, items(term.get("matchExpressions")))):
        if expression.get("key") == label and expression.get("operator") in ("In", "Exists", "Gt", "Lt"):
            return (*path, "matchExpressions", index, "values" if "values" in expression else "key")
    return None


def label_value(value: object) -> str:
    """The value of a label as text; Kubernetes accepts text only, which another rule reports."""
    return ("true" if value else "false") if isinstance(value, bool) else "" if value is None else str(value)


def value_of(data: object, steps: tuple[str, ...]) -> object:
    """The value at a path of keys; None if there is none."""
    for step in steps:
        data = mapping(data).get(step)
    return data


def _values_in(term: dict[str, Any], label: str) -> tuple[int, tuple[str, ...]] | None:
    """The values that a term names for a label, and the index of the expression."""
    for index, expression in enumerate(items(term.get("matchExpressions"))):
        entry = mapping(expression)
        if entry.get("key") == label and entry.get("operator") == "In":
            return index, tuple(map(label_value, items(entry.get("values"))))
    return None
