"""Finds the rules: every rule that a module below the packages of rules declares.

A module of rules needs no registration. ``SCOPES`` of a package, or else of the package around it, has the scopes of
its rules; the first one is that of every rule that states none. Modules are imported when a scope is used first, and
only those whose package has rules of that scope: validating a plan imports no rule about changes, inventories or raw
pools.
"""

import functools
import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from pulumi_gke_tpu.core.modules import in_features, names_in
from pulumi_gke_tpu.core.rules.engine.rule import Rule, Scope

RULES = "pulumi_gke_tpu.core.rules"
_ENGINE = "engine"
_IN_CORE = frozenset({Scope.FILE, Scope.PLAN, Scope.FINDINGS, Scope.FLEET, Scope.COMPONENT})
"""The scopes of the rules in the core: for these, no feature is imported."""


def all_rules() -> tuple[Rule[Any], ...]:
    """Every rule, by id."""
    return _sorted(rule for package in (*topics(), *topics_of_features()) for rule in rules_in(package))


def rules_of(*scopes: Scope) -> tuple[Rule[Any], ...]:
    """Every rule of these scopes, by id."""
    return _sorted(rule for package in _packages(scopes) for rule in rules_in(package) if rule.scope in scopes)


def together(scope: Scope) -> ModuleType:
    """The module that checks several plans together with the rules of a scope.

    It is in the package of the rules, which may be part of a feature that the core does not know.
    """
    (package,) = _packages((scope,))
    return importlib.import_module(f"{package}.together")


def topics() -> tuple[str, ...]:
    """The packages with the rules of the core, one for each topic."""
    return tuple(f"{RULES}.{name}" for name in names_in(RULES, only_packages=True) if name != _ENGINE)


@functools.cache
def topics_of_features() -> tuple[str, ...]:
    """The packages with rules of features: ``rules`` of a feature, or one for each topic below it."""
    below = (
        (rules, *(f"{rules}.{name}" for name in names_in(rules, only_packages=True))) for rules in in_features("rules")
    )
    return tuple(package for packages in below for package in packages if _scopes_in(package))


@functools.cache
def rules_in(package: str) -> tuple[Rule[Any], ...]:
    """Every rule that a module of a package declares, with its scope."""
    found: dict[int, Rule[Any]] = {}
    for item in pkgutil.iter_modules(importlib.import_module(package).__path__):
        module = importlib.import_module(f"{package}.{item.name}")
        found.update((id(value), value) for value in vars(module).values() if isinstance(value, Rule))
    default = _scopes_in(package)[0]
    for rule in found.values():
        if rule.scope is Scope.PLAN is not default:
            object.__setattr__(rule, "scope", default)
    return tuple(found.values())


def _packages(scopes: Iterable[Scope]) -> Iterator[str]:
    wanted = frozenset(scopes)
    candidates = topics() if wanted <= _IN_CORE else (*topics(), *topics_of_features())
    return (package for package in candidates if not wanted.isdisjoint(_scopes_in(package)))


def _scopes_in(package: str) -> tuple[Scope, ...]:
    """The scopes of the rules in a package; none if it only holds other packages."""
    around = importlib.import_module(package.rpartition(".")[0])
    scopes: tuple[Scope, ...] = getattr(importlib.import_module(package), "SCOPES", getattr(around, "SCOPES", ()))
    return scopes


def _sorted(rules: Iterator[Rule[Any]]) -> tuple[Rule[Any], ...]:
    return tuple(sorted({id(rule): rule for rule in rules}.values(), key=lambda rule: rule.id))
