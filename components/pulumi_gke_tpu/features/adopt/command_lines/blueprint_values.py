"""The values of a blueprint: its variables, filled in where settings refer to them."""

import re
from collections.abc import Mapping
from typing import Any, Final

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_REFERENCE = lazy_pattern(r"\$\(vars\.(?P<name>[\w-]+)\)", re.ASCII)
_DEEPEST: Final = 8
_STEPS: Final = 1_000_000
"""The most values that are looked at: variables that name each other several times can make any number."""
_LONGEST: Final = 1_000
"""The most characters of a text that is filled in, or into which others are."""


class DeploymentValue:
    """A value that only a deployment knows: the output of a module, or an expression."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class BlueprintValues:
    """The variables of one blueprint, and those among them that something uses."""

    def __init__(self, variables: Mapping[str, Any]) -> None:
        self._variables = variables
        self.used: set[str] = set()
        self._left = _STEPS

    def resolved(self, value: Any, depth: int = 0) -> Any:
        """A value with those of the variables that it names; None for a variable without a value."""
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return None
        if isinstance(value, list):
            return [self.resolved(item, depth + 1) for item in value]
        if isinstance(value, dict):
            return {key: self.resolved(item, depth + 1) for key, item in value.items()}
        return self._text(value, depth) if isinstance(value, str) else value

    def _text(self, text: str, depth: int) -> Any:
        self.used.update(match["name"] for match in _REFERENCE.finditer(text))
        whole = _REFERENCE.fullmatch(text)
        if whole:
            found = self.resolved(self._variables.get(whole["name"]), depth + 1)
            self._left -= len(found) if isinstance(found, str) else 0
            return found
        filled = _REFERENCE.sub(lambda match: self._part(match[0], depth + 1), text) if len(text) <= _LONGEST else text
        return DeploymentValue(text) if "$(" in filled or "((" in filled else filled

    def _part(self, reference: str, depth: int) -> str:
        """The value of a variable inside a text; the reference itself without a value, and for a long one."""
        found = self.resolved(reference, depth)
        short = found is not None and not isinstance(found, dict | list) and len(str(found)) <= _LONGEST
        return str(found) if short else reference
