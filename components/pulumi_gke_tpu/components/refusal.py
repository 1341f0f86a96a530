"""How a wrong plan, or wrong arguments of a component, end a Pulumi program."""

import datetime
import json
from collections.abc import Iterable

import pulumi
from pulumi.runtime import get_root_resource

from pulumi_gke_tpu.core.text.findings import Finding, FindingsError, Severity, format_path, number, quoted


class RefusedError(FindingsError, pulumi.RunError):
    """A plan with errors. Of a ``RunError`` Pulumi shows the message and no traceback: the program is not at fault."""


class WrongArgumentsError(FindingsError, pulumi.InputPropertiesError):
    """A component with wrong arguments.

    The message names the component and its arguments, with fixes in Python. ``findings`` have the fixes in YAML. It is
    also Pulumi's error of input properties: if a provider raises it, the engine names each property.
    """

    def __init__(self, component: str, name: str, findings: Iterable[Finding]) -> None:
        super().__init__(findings, f"arguments of {called(component, name)}", in_python)
        wrong = [finding for finding in self.findings if finding.severity is Severity.ERROR]
        self.message = f"{number(len(wrong), 'error')} in the arguments of {called(component, name)}"
        self.errors = [
            {"property_path": format_path(finding.path), "reason": f"{finding.rule} {finding.message}"}
            for finding in wrong
        ]


class WrongArgumentsInProgramError(WrongArgumentsError, RefusedError):
    """The same in a program. Not in a provider, which shows only the message of a ``RunError``, without properties."""


def wrong_arguments(component: str, name: str, findings: Iterable[Finding]) -> WrongArgumentsError:
    """The error about the arguments of a component: a program has a stack as its root, a provider has none."""
    kind = WrongArgumentsInProgramError if get_root_resource() else WrongArgumentsError
    return kind(component, name, findings)


def called(component: str, name: str) -> str:
    """How messages call a component: its class, and its name in the program."""
    return f"{component} {quoted(name)}"


def in_python(fix: str) -> str:
    """A fix as entries of a dictionary in Python; what is not YAML with keys stays as it is."""
    import yaml  # only an error needs it

    try:
        entries = yaml.safe_load(fix)
    except yaml.YAMLError:
        return fix
    if not isinstance(entries, dict):
        return fix
    if fix.rstrip().endswith(":") and len(entries) == 1:
        return f"{_literal(next(iter(entries)))}:"  # another name for a key
    return ",\n".join(f"{_literal(key)}: {_literal(value)}" for key, value in entries.items())


def _literal(value: object) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_literal(key)}: {_literal(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, str | datetime.date):
        return json.dumps(str(value), ensure_ascii=False)
    return repr(value)
