"""The provider behind the plugin: creates the components for programs in other languages.

It extends the plain provider of the SDK, not that of the component host. The component host passes integers as floats,
fails on an Output for an integer, empties lists of enums, ignores unknown keys, and turns an error about properties
into a traceback: ``tests/features/plugin/test_host_faults.py`` shows each of these faults. It also loads all
components and reads their sources before it answers the engine, which takes twice as long.
"""

import re
from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi.errors import InputPropertiesError, InputPropertyErrorDetails
from pulumi.provider import ConstructResult, Provider

import pulumi_gke_tpu
from pulumi_gke_tpu.core.text import findings
from pulumi_gke_tpu.core.text.findings import Finding, FindingsError, Severity, format_path, number, printable
from pulumi_gke_tpu.features.plugin.package import path_as_given, read_package

_NEXT_LINE = "\n\t\t"
"""The engine indents its list of properties by two tabs."""
_MISSING = re.compile(r"missing key `(\w+)`")


class TpuProvider(Provider):
    """Creates ``gke-tpu:index:*`` components."""

    def __init__(self) -> None:
        self._package = read_package()
        super().__init__(pulumi_gke_tpu.__version__, self._package.text)

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: Mapping[str, Any],
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """Create a component.

        Raises:
            InputPropertiesError: the inputs are invalid; it has every finding with the path of its property.
            RunError: no component has that type.
        """
        if resource_type not in self._package.components:
            known = ", ".join(self._package.components)
            raise pulumi.RunError(f"unknown component {printable(resource_type)}; use one of {known}")
        # Loaded here and not before: the engine waits for the plugin to start, and most of that would be this.
        component = getattr(pulumi_gke_tpu, resource_type.rsplit(":", 1)[1])
        try:
            made = component(name, self._package.arguments(resource_type, inputs), options)
        except FindingsError as refused:
            raise _input_error(name, refused, inputs) from None
        return ConstructResult(made.urn, self._package.outputs(resource_type, made))


def _input_error(name: str, refused: FindingsError, inputs: Mapping[str, Any]) -> InputPropertiesError:
    """All errors as one; those that are about no property in particular are in its message."""
    errors = [finding for finding in refused.findings if finding.severity is Severity.ERROR]
    details: list[InputPropertyErrorDetails] = []
    message = f"{number(len(errors), 'error')} in the arguments of {printable(name)}"
    for finding in errors:
        path = format_path(path_as_given(_place(finding), inputs))
        if path:
            details.append({"property_path": printable(path, len(path)), "reason": _reason(finding)})
        else:
            message += f"{_NEXT_LINE}- {_reason(finding)}"
    return InputPropertiesError(message, details)


def _place(finding: Finding) -> findings.Path:
    """The path of a finding; of a missing key, the path that it should have."""
    missing = _MISSING.match(finding.message)
    return (*finding.path, missing[1]) if missing and finding.path[-1:] != (missing[1],) else finding.path


def _reason(finding: Finding) -> str:
    """The message, followed by a line for each alternative."""
    # Imported here like the components: only an invalid plan needs it.
    from pulumi_gke_tpu.features.plugin.camel_case import in_camel_case

    lines = [f"{finding.rule} {finding.message}"]
    if finding.choices:
        lines.append(f"allowed: {', '.join(finding.choices)}")
    if finding.fix and "\n" not in finding.fix:
        lines.append(f"try: {finding.fix}")
    if finding.why:
        lines.append(f"why: {finding.why}")
    return f"{_NEXT_LINE}  ".join(in_camel_case(printable(line, len(line))) for line in lines)
