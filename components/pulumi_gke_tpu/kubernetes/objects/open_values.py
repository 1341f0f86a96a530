"""Template values that are not filled in yet: their meaning is unknown, so no rule may report them."""

import re

_OPEN = re.compile(r"\{\{|\$\{|\$\(|<%|\$[A-Za-z_]")
"""Helm, Jinja and Go templates; envsubst, Terraform and Kustomize; ERB."""


def is_open(value: object) -> bool:
    """Whether a value contains an expression that another program fills in: ``{{ }}``, ``${VAR}``, ``$(VAR)``."""
    return isinstance(value, str) and _OPEN.search(value) is not None


def has_open_key(value: dict[str, object]) -> bool:
    """Whether a mapping may get more keys from a template."""
    return any(map(is_open, value))
