"""Variables of blueprints in settings: what fills them in, and that no blueprint makes a value of any size."""

from typing import Any

import pytest

from pulumi_gke_tpu.features.adopt.command_lines.blueprint_values import BlueprintValues, DeploymentValue

LONG = "x" * 1_000


@pytest.mark.parametrize(
    ("variables", "value", "wanted"),
    [
        ({"a": 1}, "$(vars.a)", 1),
        ({"a": 1}, "n-$(vars.a)-$(vars.a)", "n-1-1"),
        ({"a": [1]}, {"b": ["$(vars.a)"]}, {"b": [[1]]}),
        ({}, "$(vars.a)", None),
        ({"a": "$(vars.b)", "b": "$(vars.a)"}, "$(vars.a)", None),
        ({"a": LONG}, "$(vars.a)-", f"{LONG}-"),
        ({"a": f"{LONG}x"}, "$(vars.a)", f"{LONG}x"),
    ],
)
def test_a_value_has_those_of_its_variables(variables: dict[str, Any], value: Any, wanted: Any) -> None:
    assert BlueprintValues(variables).resolved(value) == wanted


@pytest.mark.parametrize(
    ("variables", "value"),
    [
        ({}, "n-$(vars.a)"),
        ({"a": [1]}, "n-$(vars.a)"),
        ({"a": {"b": 1}}, "n-$(vars.a)"),
        ({"a": f"{LONG}x"}, "n-$(vars.a)"),
        ({"a": 1}, f"$(vars.a){'x' * 992}"),
        ({}, "$(module.output)"),
        ({}, "((var.a))"),
        ({"a": "$(module.output)"}, "$(vars.a)"),
    ],
)
def test_what_cannot_be_filled_in_is_left_to_the_deployment(variables: dict[str, Any], value: str) -> None:
    assert isinstance(BlueprintValues(variables).resolved(value), DeploymentValue)


def test_variables_that_name_each_other_many_times_end() -> None:
    levels = range(8)
    variables = {
        f"v{level}-{each}": "".join(f"$(vars.v{level + 1}-{other})" for other in range(60))
        for level in levels
        for each in range(60)
    }
    lists = {f"l{level}": [f"$(vars.l{level + 1})"] * 60 for level in levels} | {"l8": "x" * 100_000}
    values = BlueprintValues({**variables, **lists})
    assert isinstance(values.resolved("$(vars.v0-0)"), DeploymentValue)
    assert len(str(BlueprintValues(lists).resolved("$(vars.l5)"))) < 10_000_000


def test_variables_in_any_text_are_used() -> None:
    values = BlueprintValues({"a": 1})
    values.resolved(["$(vars.a)", "n-$(vars.b)", f"{LONG}$(vars.c)", {"x": "$(module.d)"}])
    assert values.used == {"a", "b", "c"}
