"""The commented starter plan: every option behind a # is valid."""

import re

import pytest
from support.checking import validate

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml
from pulumi_gke_tpu.features.plan.starter import choose_starter, flow, plan_text, program_text, project_text

CATALOG = read_catalog()
OPTION = re.compile(r"^( *)# (\w+): (.*?)  # .+$", re.M)


@pytest.mark.parametrize("workload", [False, True])
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("tpu", CATALOG.generation_names)
def test_each_option_is_valid_without_its_hash(mode: str, tpu: str, workload: bool) -> None:
    starter = choose_starter(CATALOG, project="acme-ml", tpu=tpu, mode=mode, workload=workload)  # type: ignore[arg-type]
    text = plan_text(starter, "plan.yaml")
    options = list(OPTION.finditer(text))
    assert len(options) > 5
    for option in options:
        used = f"{text[: option.start()]}{option[1]}{option[2]}: {option[3]}{text[option.end() :]}"
        document = parse_plan(parse_yaml(used.encode(), "plan.yaml").data)
        assert document.findings == ()
        assert document.content is not None
        errors = [
            finding.message for finding in validate(document.content, CATALOG) if finding.severity is Severity.ERROR
        ]
        assert errors == [], option[2]


@pytest.mark.parametrize(
    "option",
    [
        "reservation: ",
        "flex_start: ",
        "taints: ",
        "exclusions: ",
        "cpu_pools: ",
        "existing: ",
        "moved: ",
        "acknowledge: ",
    ],
)
def test_the_options_that_newcomers_look_for_are_there(option: str) -> None:
    starter = choose_starter(CATALOG, project="acme-ml", tpu="v6e", mode="standard")
    assert option in plan_text(starter, "plan.yaml")


@pytest.mark.parametrize("workload", [False, True])
def test_the_text_says_exactly_the_plan(workload: bool) -> None:
    starter = choose_starter(CATALOG, project="acme-ml", tpu="v5e", topology="2x4", mode="standard", workload=workload)
    assert parse_yaml(plan_text(starter, "plan.yaml").encode(), "plan.yaml").data == starter.plan()


@pytest.mark.parametrize("value", ["a: b", "# x", "- y", "1.30", "yes", "", "a\nb", "{}", '"', "'", "é", "null"])
def test_values_are_quoted_where_yaml_needs_it(value: str) -> None:
    assert parse_yaml(f"key: {flow(value)}\n".encode(), "x.yaml").data == {"key": value}


@pytest.mark.parametrize("stack", [None, "prod"])
def test_the_program_is_python_of_less_than_30_lines(stack: str | None) -> None:
    program = program_text(stack)
    compile(program, "__main__.py", "exec")
    assert program.count("\n") < 30
    assert all(len(line) <= 100 for line in program.splitlines())


def test_the_name_of_the_pulumi_project_is_one() -> None:
    name = parse_yaml(project_text("example.com:ml").encode(), "Pulumi.yaml").data["name"]
    assert re.fullmatch(r"[A-Za-z0-9_.-]{1,100}", name)
