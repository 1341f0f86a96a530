"""The variables of a module that others call: the project, existing networks and existing service accounts."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.declared import Declarations
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.text.formats.hcl_scalars import quoted_text
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.export.terraform.spelling import resource_name
from pulumi_gke_tpu.features.export.terraform.syntax import (
    Attribute,
    Block,
    Expression,
    Gap,
    StaticReference,
    TextTemplate,
)

_PROJECT = "project"
NETWORK, SUBNETWORK, _ACCOUNT = "network", "subnetwork", "serviceAccount"
_NAMES = {NETWORK: "network", SUBNETWORK: "subnetwork", _ACCOUNT: "node_service_account"}
"""Property -> the name of its variable."""
_MAPS = ("labels", "resourceLabels", "metadata", "node_selector")
_DESCRIPTIONS = {
    _PROJECT: "ID of the project in which all resources are.",
    NETWORK: "Existing network of the clusters.",
    SUBNETWORK: "Existing subnetwork of the clusters, in their region.",
    _ACCOUNT: "E-mail address of the existing service account of nodes.",
}


@frozen
class Variable:
    """One variable. The value of the plan is its default."""

    property: str
    name: str
    default: str
    region: str = ""
    """Of a subnetwork: the only region in which it can be."""


class ModuleVariables:
    """The variables of a plan, and values with them."""

    def __init__(self, variables: tuple[Variable, ...]) -> None:
        self._all = variables
        names = (
            (name, item) for item in variables for name in (item.property, _NAMES.get(item.property, item.property))
        )
        self._by_value = {(name, item.default): item for name, item in names}
        project = next((item.default for item in variables if item.property == _PROJECT), None)
        # Only where a text has the ID of a project, never a name that is spelled like it.
        place = re.escape(project) if project is not None else "(?!)"
        self._project = lazy_pattern(
            rf"(?<=^projects/){place}(?=/|\Z)|(?<=--project ){place}(?=\s|\Z)"
            rf"|(?<=@){place}(?=\.iam\.gserviceaccount\.com)|(?:(?<=serviceAccount:)|^){place}(?=\.svc\.id\.goog)"
        )

    def blocks(self) -> Iterator[Block]:
        """The declarations."""
        for item in self._all:
            condition, message = _validation(item)
            checks = (Attribute("condition", Expression(condition)), Attribute("error_message", message))
            yield Block(
                "variable",
                (item.name,),
                (
                    Attribute("type", StaticReference("string")),
                    Attribute("description", _DESCRIPTIONS[item.property]),
                    Attribute("default", item.default),
                    Gap(),
                    Block("validation", (), checks),
                ),
            )

    def applied(self, value: object, name: str = "") -> Any:
        """A value with the variables in the place of what the plan says. ``name`` is that of its property."""
        if not self._all:
            return value
        if isinstance(value, Mapping):
            own = name in _MAPS  # the keys are those of the plan
            return {key: self.applied(item, "" if own else str(key)) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.applied(item, name) for item in value]
        if not isinstance(value, str):
            return value
        variable = self._by_value.get((name, value))
        if variable is not None:
            return self._reference(variable)
        parts = self._project.split(value)
        mixed = [part for text in parts for part in (Expression(f"var.{_PROJECT}"), text)][1:]
        return value if len(parts) == 1 else TextTemplate(tuple(part for part in mixed if part))

    def _reference(self, variable: Variable) -> Expression:
        return Expression(f"var.{variable.name}")


NO_VARIABLES = ModuleVariables(())


def variables_of(declared: Declarations) -> ModuleVariables:
    """The variables of a plan. Clusters with the same network have one variable, others each their own."""
    project = Variable(_PROJECT, _PROJECT, str(declared.outermost.properties[_PROJECT]))
    return ModuleVariables((project, *existing_values(declared)))


def existing_values(declared: Declarations) -> Iterator[Variable]:
    """The networks and accounts that the plan only names."""
    for name, written in _NAMES.items():
        values: dict[str, tuple[str, str]] = {}
        for item in declared:
            if item.type in (CLUSTER, NODE_POOL):
                for value in _texts(item.properties, name, nested=name == _ACCOUNT):
                    values.setdefault(value, (item.name, str(item.properties["location"])))
        for value, (key, location) in values.items():
            own = written if len(values) == 1 else f"{written}_{resource_name(key)}"
            region = "-".join(location.split("-")[:2]) if name == SUBNETWORK else ""
            yield Variable(name, own, value, region)


def _texts(properties: object, name: str, *, nested: bool) -> Iterator[str]:
    """The values of a property that the plan gives, not those of other resources."""
    if not isinstance(properties, Mapping):
        return
    for key, value in properties.items():
        if key == name and isinstance(value, str) and value:
            yield value
        elif nested:
            yield from _texts(value, name, nested=True)


def _validation(item: Variable) -> tuple[str, str]:
    value = f"var.{item.name}"
    if item.property == _ACCOUNT:
        return f'endswith({value}, ".gserviceaccount.com")', f"{item.name} must be the e-mail address of an account."
    if item.property == SUBNETWORK:
        place = f"/regions/{item.region}/"
        condition = f'!strcontains({value}, "/regions/") || strcontains({value}, {quoted_text(place)})'
        return condition, f"{item.name} must be in the region {item.region}."
    if item.property == _PROJECT:
        return f'can(regex("^[a-z0-9.:-]+$", {value}))', f"{item.name} must be the ID of a project."
    return f"length({value}) > 0", f"{item.name} must be the name or the path of a network."
