"""Finds the rules: every rule that a module below the packages of rules declares.

A module of rules needs no registration. Modules are imported when a scope is used first, and only those whose
package can hold rules of that scope: validating a plan imports no rule about changes, inventories or raw pools.
"""

import functools
import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from pulumi_gke_tpu.core.rules.engine.rule import Rule, Scope

RULES = "pulumi_gke_tpu.core.rules"
FEATURES = "pulumi_gke_tpu.features"
CHANGE_RULES = "pulumi_gke_tpu.features.diff.rules"
_ENGINE = "engine"
_OWN_PACKAGES = {
    Scope.WORKLOADS: (f"{FEATURES}.workloads.rules",),
    Scope.RUNS: (f"{FEATURES}.calendar.rules",),
    Scope.INVENTORY: (f"{FEATURES}.capacity.rules.inventory",),
    Scope.FLEET: (f"{RULES}.fleet",),
    Scope.ORGANIZATION: (f"{FEATURES}.capacity.rules.organization",),
    Scope.POOL: (f"{FEATURES}.policy_pack.rules",),
    Scope.STACK: (f"{FEATURES}.policy_pack.rules",),
    Scope.MANIFESTS: tuple(
        f"{FEATURES}.check.rules.{topic}" for topic in ("alignment", "manifests", "objects", "operators", "queueing")
    ),
    Scope.CHANGE: (CHANGE_RULES,),
}
"""The scopes whose rules have packages of their own. The rules of all others are in the other topics."""


def all_rules() -> tuple[Rule[Any], ...]:
    """Every rule, by id."""
    own = (package for packages in _OWN_PACKAGES.values() for package in packages)
    return _sorted(rule for package in dict.fromkeys((*topics(), *own)) for rule in rules_in(package))


def rules_of(*scopes: Scope) -> tuple[Rule[Any], ...]:
    """Every rule of these scopes, by id."""
    own = {package for packages in _OWN_PACKAGES.values() for package in packages}
    packages: dict[str, None] = {}
    for scope in scopes:
        found = _OWN_PACKAGES.get(scope) or (package for package in topics() if package not in own)
        packages.update(dict.fromkeys(found))
    return _sorted(rule for package in packages for rule in rules_in(package) if rule.scope in scopes)


def together(scope: Scope) -> ModuleType:
    """The module that checks several plans together with the rules of a scope.

    It is in the package of the rules, which may be part of a feature that the core does not know.
    """
    (package,) = _OWN_PACKAGES[scope]
    return importlib.import_module(f"{package}.together")


@functools.cache
def topics() -> tuple[str, ...]:
    """The packages of rules about plans and resources, one for each topic."""
    found = pkgutil.iter_modules(importlib.import_module(RULES).__path__)
    return tuple(f"{RULES}.{item.name}" for item in found if item.ispkg and item.name != _ENGINE)


@functools.cache
def rules_in(package: str) -> tuple[Rule[Any], ...]:
    """Every rule that a module of a package declares."""
    found: dict[int, Rule[Any]] = {}
    for item in pkgutil.iter_modules(importlib.import_module(package).__path__):
        module = importlib.import_module(f"{package}.{item.name}")
        found.update((id(value), value) for value in vars(module).values() if isinstance(value, Rule))
    return tuple(found.values())


def _sorted(rules: Iterator[Rule[Any]]) -> tuple[Rule[Any], ...]:
    return tuple(sorted({id(rule): rule for rule in rules}.values(), key=lambda rule: rule.id))
