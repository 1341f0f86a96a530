"""Template values that are not filled in yet: their meaning is unknown, so no rule may report them."""

import re

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_OPEN = lazy_pattern(r"\{\{|\$\{|\$\(|<%|\$[A-Za-z_]")
"""Helm, Jinja and Go templates; envsubst, Terraform and Kustomize; ERB."""


_DEFAULT = lazy_pattern(r"\$\{[A-Za-z_]\w*:?[-=](?P<usual>[^${}]*)\}", re.ASCII)


def with_defaults(value: str) -> str:
    """A text in which variables of envsubst have the values that the text gives them: ``${ZONE:=us-east5-b}``."""
    return _DEFAULT.sub(lambda match: match["usual"].strip("\"'"), value) if "${" in value else value


_PLACEHOLDER = lazy_pattern(r"(<[A-Za-z][A-Za-z0-9_ -]{0,62}>|\.\.\.)\Z", re.ASCII)
"""What guides write where a person has to write a value of their own."""
_INSIDE = lazy_pattern(r"<(?:[A-Z][A-Z0-9_-]{1,62}|[a-z]+(?:[_-][a-z0-9]+)+)>", re.ASCII)
"""The same as a part of one word: words of commands and of markup, such as ``<in >out`` and ``<b>``, are none."""
_ELLIPSIS = "..."
"""The only open value without one of the characters ``{``, ``$`` and ``<``: most values need no pattern."""


def is_open(value: object) -> bool:
    """Whether the meaning of a value is unknown: it has an expression such as ``${VAR}``, or is a placeholder."""
    if not isinstance(value, str):
        return False
    if "{" not in value and "$" not in value and "<" not in value:
        return value == _ELLIPSIS
    return _OPEN.search(value) is not None or is_placeholder(value)


def is_placeholder(value: object) -> bool:
    """Whether a value has the form ``<NAME>`` or is ``...``, or is one word with ``<NAME>`` inside."""
    if not isinstance(value, str):
        return False
    return _PLACEHOLDER.match(value) is not None or (not re.search(r"\s", value) and _INSIDE.search(value) is not None)


def has_open_key(value: dict[str, object]) -> bool:
    """Whether a mapping may get more keys from a template."""
    return any(map(is_open, value))
