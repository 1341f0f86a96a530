"""Under which URNs the engine looks for a resource in its state: its own, its aliases', and those that parents had.

The rules are the engine's own (``generateAliases`` of its step generator); ``tests/engine`` compares this with it.
"""

from typing import Any

from support.recording import STACK, Recording


def known_as(recording: Recording) -> dict[str, frozenset[str]]:
    """URN of every resource -> all URNs under which it is found, its own among them."""
    known: dict[str, frozenset[str]] = {}
    for registration in recording:  # parents come before their children
        request = registration.request
        place = "::".join(registration.urn.split("::")[:2])
        aliases = [_alias(place, request, alias) for alias in request.aliases]
        inherited = [
            _inherited(place, old_parent, request.parent, type_, name)
            for old_parent in known.get(request.parent, frozenset()) - {request.parent}
            for type_, name in [(request.type, request.name), *[(_type(urn), _name(urn)) for urn in aliases]]
        ]
        known[registration.urn] = frozenset([registration.urn, *aliases, *inherited])
    return known


def lost(released: list[str], recording: Recording) -> list[str]:
    """The released URNs that no resource is found under any more."""
    found = frozenset[str]().union(*known_as(recording).values())
    return [urn for urn in released if urn not in found]


def unlisted(released: list[str], recording: Recording) -> list[str]:
    """The URNs of resources that are not among the released ones."""
    return [registration.urn for registration in recording if registration.urn not in released]


def _alias(place: str, request: Any, alias: Any) -> str:
    if alias.urn:
        return str(alias.urn)
    spec = alias.spec
    parent = "" if spec.noParent else spec.parentUrn or request.parent
    if spec.project or spec.stack:
        prefix, project = place.split("::")
        stack = spec.stack or prefix.removeprefix("urn:pulumi:")
        place = f"urn:pulumi:{stack}::{spec.project or project}"
    return _urn(place, parent, spec.type or request.type, spec.name or request.name)


def _inherited(place: str, old_parent: str, parent: str, type_: str, name: str) -> str:
    """The URN of a child below the URN that its parent had; a name that begins with the parent's changes with it."""
    if name.startswith(_name(parent)):
        name = _name(old_parent) + name.removeprefix(_name(parent))
    return _urn(place, old_parent, type_, name)


def _urn(place: str, parent: str, type_: str, name: str) -> str:
    ancestors = "" if not parent or f"::{STACK}::" in parent else f"{parent.split('::')[2]}$"
    return f"{place}::{ancestors}{type_}::{name}"


def _type(urn: str) -> str:
    return urn.split("::")[2].rsplit("$", 1)[-1]


def _name(urn: str) -> str:
    return urn.split("::", 3)[3]
