"""``load_plan`` and ``TpuFleet``: a plan that was loaded is checked once, and again only if the program changes it."""

import copy
import datetime
import pathlib
from collections.abc import Callable
from typing import Any

import pulumi
import pytest
from support.checking import checks_in

from pulumi_gke_tpu import FindingsError, Graph, TpuFleet, load_plan
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.preview import run_program

PLAN = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      main: {tpu: v6e, topology: 2x2, zone: us-east5-b, count: 1}
"""
TODAY = datetime.date(2026, 11, 20)
Change = Callable[[Any], Any]


@pytest.fixture
def plan(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN, encoding="utf-8")
    return path


def run(plan: pathlib.Path, change: Change = lambda args: args, **options: Any) -> Graph:
    """The resources of a stack program that changes what it has loaded."""

    def program() -> None:
        TpuFleet("prod", change(load_plan(plan, today=TODAY)), **options)

    return run_program(program, stack="prod")


def nodes(graph: Graph) -> list[Any]:
    """The node counts of the TPU pools."""
    return [
        pool.inputs["nodeCount"]
        for pool in graph.of_type("gcp:container/nodePool:NodePool")
        if pool.name.endswith("main")
    ]


def test_a_stack_program_checks_its_plan_once(plan: pathlib.Path) -> None:
    assert checks_in(lambda: run(plan)) == (1, 1, 1)


def test_a_copy_that_is_the_same_is_not_checked_again(plan: pathlib.Path) -> None:
    assert checks_in(lambda: run(plan, copy.deepcopy)) == (1, 1, 1)


def count_two(args: Any) -> Any:
    args["clusters"]["train"]["slices"]["main"]["count"] = 2
    return args


def test_a_change_deep_inside_takes_effect(plan: pathlib.Path) -> None:
    found: list[Graph] = []
    assert checks_in(lambda: found.append(run(plan, count_two))) == (2, 2, 2)
    assert nodes(found[0]) == [2]


def test_a_plain_copy_with_changes_takes_effect(plan: pathlib.Path) -> None:
    graph = run(plan, lambda args: {**args, "project": "other-ml"})
    assert {pool.inputs["project"] for pool in graph.of_type("gcp:container/nodePool:NodePool")} == {"other-ml"}


@pytest.mark.parametrize("value", [-1, "many", True, 1.0], ids=repr)
def test_a_wrong_change_is_refused(plan: pathlib.Path, value: object) -> None:
    def wrong(args: Any) -> Any:
        args["clusters"]["train"]["slices"]["main"]["count"] = value
        return args

    with pytest.raises(FindingsError, match="count"):
        run(plan, wrong)


def test_an_output_may_replace_a_value(plan: pathlib.Path) -> None:
    def later(args: Any) -> Any:
        args["clusters"]["train"]["slices"]["main"]["resource_labels"] = {"team": pulumi.Output.from_input("research")}
        return args

    assert checks_in(lambda: run(plan, later)) == (2, 2, 2)


def test_a_changed_day_is_checked_again(plan: pathlib.Path) -> None:
    assert checks_in(lambda: run(plan, lambda args: args.update(today="2027-01-01") or args)) == (2, 2, 2)


def test_another_catalog_checks_the_plan_again(plan: pathlib.Path, tmp_path: pathlib.Path) -> None:
    overlay = tmp_path / "facts.yaml"
    overlay.write_text("about: {version: of-our-own}\n", encoding="utf-8")
    catalog = read_catalog([overlay])
    assert checks_in(lambda: run(plan, catalog=catalog)) == (2, 2, 2)
    assert checks_in(lambda: run(plan, lambda _: load_plan(plan, catalog=catalog), catalog=catalog)) == (2, 2, 2)


def test_it_is_a_dictionary_of_plain_data(plan: pathlib.Path) -> None:
    args: Any = load_plan(plan)
    assert isinstance(args, dict)
    assert args["clusters"]["train"]["slices"]["main"] == {
        "tpu": "v6e",
        "topology": "2x2",
        "zone": "us-east5-b",
        "count": 1,
    }
    assert dict(args) == {key: args[key] for key in args}
