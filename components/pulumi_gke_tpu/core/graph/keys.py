"""The properties of the provider that each key of a plan sets, from the declarations of the keys."""

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import get_args, get_origin

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph import resource_types
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.base import PlanModel, Properties, Resource
from pulumi_gke_tpu.core.plan.copied import stated_effect
from pulumi_gke_tpu.core.plan.keys import inner_type, is_plan_model

RESOURCES: Mapping[Resource, str] = {
    "cluster": resource_types.CLUSTER,
    "TPU node pool": resource_types.NODE_POOL,
    "system pool": resource_types.NODE_POOL,
    "CPU pool": resource_types.NODE_POOL,
    "workload policy": resource_types.RESOURCE_POLICY,
    "network": resource_types.NETWORK,
    "subnetwork": resource_types.SUBNETWORK,
    "service account": resource_types.ACCOUNT,
    "IAM grant": resource_types.IAM_MEMBER,
    "Workload Identity grant": resource_types.ACCOUNT_MEMBER,
    "bucket grant": resource_types.BUCKET_MEMBER,
    "router": resource_types.ROUTER,
    "Cloud NAT": resource_types.ROUTER_NAT,
    "firewall rule": resource_types.FIREWALL,
}
"""Resource -> its Pulumi type."""

FIXED: Mapping[Resource, tuple[str, ...]] = {
    "cluster": ("networkingMode", "removeDefaultNodePool"),
    "TPU node pool": ("ignoreNodeCountChanges", "nodeConfig.gvnic.enabled"),
    "CPU pool": ("name",),
}
"""Properties that no key sets and ``extra`` cannot change: the builders rely on them."""

CLUSTER_KEYS = "clusters.*."
"""The prefix of the path of a cluster key."""
GROUP_KEYS = f"{CLUSTER_KEYS}slices.*."
"""The prefix of the path of a key of a slice group."""
CPU_POOL_KEYS = f"{CLUSTER_KEYS}cpu_pools.*."
"""The prefix of the path of a key of a CPU pool."""


@frozen(eq=False)
class KeyEffect:
    """What one key of a plan sets. At least one field has a value."""

    sets: Mapping[Resource, tuple[str, ...]]
    """Resource -> properties, as the engine spells them, the main one first."""
    instead_of: Mapping[Resource, tuple[str, ...]]
    """Resource -> other properties, and whole blocks, that ``extra`` must not set because of the key."""
    creates: tuple[Resource, ...] = ()
    """Resources whose existence or number depends on the value."""
    option: str = ""
    """The option of the Pulumi resource that the key sets."""
    nothing: str = ""
    """Why the key sets nothing."""


@frozen(eq=False)
class PlanKeys:
    """Every key of a plan that states what it sets, by its dotted path with ``*`` for a name that a person chooses.

    An entry also applies to the keys below it that have none.
    """

    keys: Mapping[str, KeyEffect]

    def around(self, key: str) -> Iterator[KeyEffect]:
        """The entries of a key, of the keys that hold it, and of the keys that it holds."""
        return (effect for path, effect in self.keys.items() if is_within(key, path) or is_within(path, key))

    def property_of(self, key: str, resource: Resource) -> str:
        """The property that a finding about the key names on a resource; empty if the key sets none there.

        It is the block that holds everything that the key sets, or else the first property. A key without properties
        of its own has the block that it stands for, if most of the keys below set something there; otherwise the
        properties of the keys below it, or of the nearest key above it.
        """
        own = _names(self.keys[key], resource) if key in self.keys else ()
        below = [
            name for path, effect in self.keys.items() if is_within(path, key) for name in _names(effect, resource)
        ]
        blocks = self.keys[key].instead_of.get(resource, ()) if key in self.keys and not own else ()
        for block in blocks:
            if 2 * sum(is_within(name, block) for name in below) > len(below):
                return block
        above = (self.keys[path] for path in sorted(self.keys, key=len, reverse=True) if is_within(key, path))
        names = own or below or next((names for effect in above if (names := _names(effect, resource))), ())
        return _block(names) or names[0] if names else ""

    def modeled(self, resource: Resource) -> Mapping[str, str]:
        """Each property that ``extra`` must not set on a resource -> the key for it; empty for a fixed property.

        Of several keys that set a property the innermost one counts, and of several beside each other the first.
        """
        found = dict.fromkeys(FIXED.get(resource, ()), "")
        by_depth = sorted(self.keys.items(), key=lambda entry: -entry[0].count("*"))
        claims = [(key, effect.instead_of) for key, effect in by_depth]
        claims += [(key, effect.sets) for key, effect in by_depth]
        for key, claimed in claims:
            for name in claimed.get(resource, ()):
                found.setdefault(name, key)
        return found


@functools.cache
def plan_keys() -> PlanKeys:
    """The keys, in the order of the models."""
    return PlanKeys(dict(_effects(Plan, "", "cluster")))


def _effects(model: type[PlanModel], prefix: str, belongs_to: Resource) -> Iterator[tuple[str, KeyEffect]]:
    """The effect of every key below a model. A model below a key that sets nothing is not imported."""
    for name, field in model.model_fields.items():
        path = f"{prefix}{field.alias or name}"
        stated = stated_effect(field)
        effect = KeyEffect(
            sets=_by_resource(stated.get("sends", ()), belongs_to),
            instead_of=_by_resource(stated.get("excludes", ()), belongs_to),
            creates=stated.get("creates", ()),
            option=stated.get("option", ""),
            nothing=stated.get("nothing", ""),
        )
        if effect.sets or effect.instead_of or effect.creates or effect.option or effect.nothing:
            yield path, effect
        if effect.nothing:
            continue
        kind = inner_type(field.annotation)
        if get_origin(kind) in (dict, list):
            path += ".*" if get_origin(kind) is dict else "[]"
            kind = inner_type(get_args(kind)[-1])
        if is_plan_model(kind):
            yield from _effects(kind, f"{path}.", stated.get("resource", belongs_to))


def _by_resource(stated: Properties, belongs_to: Resource) -> Mapping[Resource, tuple[str, ...]]:
    if not isinstance(stated, Mapping):
        stated = {belongs_to: stated} if stated else {}
    return {resource: (names,) if isinstance(names, str) else names for resource, names in stated.items()}


def _names(effect: KeyEffect, resource: Resource) -> tuple[str, ...]:
    return effect.sets.get(resource, ())


def _block(names: Sequence[str]) -> str:
    """The innermost block that holds all properties, or the only property; empty if there is none."""
    if len(names) == 1:
        return names[0]
    levels = zip(*(name.partition("[")[0].split(".") for name in names), strict=False)
    return ".".join(level[0] for level in itertools.takewhile(lambda level: len(set(level)) == 1, levels))


def is_within(inner: str, outer: str) -> bool:
    """Whether a dotted path is another one, or below it."""
    return inner == outer or inner.startswith((f"{outer}.", f"{outer}["))
