"""Sorts the changed keys of a plan by the class of the changes that they cause, the most dangerous first."""

import re
from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.catalog.spelling import camel_case
from pulumi_gke_tpu.core.graph.keys import CLUSTER_KEYS, RESOURCES, KeyEffect, is_within, plan_keys
from pulumi_gke_tpu.features.diff.model import CLASSES, ChangeClass, ResourceChange, WrittenChange

_EXTRA = "extra."
_CPU_POOL = re.compile(r"cpu_pools(?:\.[^.\[]+|\[[^]]*\])")


def most_dangerous_first(
    written: Sequence[WrittenChange],
    changes: Sequence[ResourceChange],
    above: str,
    effect: ChangeClass,
) -> tuple[WrittenChange, ...]:
    """The changed keys of an item, sorted by the worst change of a property that they set, else in their order.

    ``above`` is the prefix ``CLUSTER_KEYS`` or ``GROUP_KEYS``. ``effect`` is the class of the whole item: a resource
    that is created or deleted counts only if it decides the class.
    """
    if len(written) <= 1:
        return tuple(written)
    return tuple(sorted(written, key=lambda item: min(_ranks(item.key, changes, above, effect), default=_LAST)))


_LAST = len(CLASSES)


def _ranks(key: str, changes: Iterable[ResourceChange], above: str, effect: ChangeClass) -> Iterator[int]:
    """The class of every change that a key contributes to, as its index in the order of classes."""
    key, of_cpu_pool = _CPU_POOL.subn("cpu_pools.*", key)
    keys = plan_keys()
    effects = [*keys.around(f"{above}{key}"), *(keys.around(key) if above == CLUSTER_KEYS else ())]
    for change in changes:
        for difference in change.differences:
            own = key.removeprefix("cpu_pools.*.") if of_cpu_pool else key
            if any(_alike(difference.path, name) for name in _properties(own, effects, change.type)):
                yield CLASSES.index(difference.effect)
        decides = change.operation in ("create", "delete") and change.effect == effect
        if decides and any(RESOURCES[name] == change.type for item in effects for name in item.creates):
            yield CLASSES.index(change.effect)


def _properties(key: str, effects: Iterable[KeyEffect], resource_type: str) -> Iterator[str]:
    """The properties and options of a type of resource that a key sets."""
    if key.startswith(_EXTRA):
        yield camel_case(key.removeprefix(_EXTRA))
    for item in effects:
        if item.option:
            yield item.option
        for name, properties in item.sets.items():
            if RESOURCES[name] == resource_type:
                yield from properties


def _alike(path: str, name: str) -> bool:
    return is_within(path, name) or is_within(name, path)
