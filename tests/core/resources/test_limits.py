"""How far files of other tools are followed: up to a limit, values are known, and behind it they are unknown."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.resources.hcl_evaluation import Evaluation
from pulumi_gke_tpu.core.resources.hcl_expressions import HclAccess, HclCall, HclFor, HclSplat, HclTemplate
from pulumi_gke_tpu.core.resources.hcl_functions import is_unknown
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.pulumi_values import ProgramValues
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.resources.values import UNKNOWN

POOL = 'resource "google_container_node_pool" "p" {\n'


def found(files: dict[str, str]) -> list[RawResource]:
    reader, contents = ResourceReader(read_catalog()), {name: text.encode() for name, text in files.items()}
    reader.declare(contents.items())
    every = (reader.read(name, content) for name, content in contents.items())
    return [each for read in every if read is not None for each in read.found]


def name_in(text: str) -> Any:
    """The name of the first resource of a file of Terraform."""
    return found({"main.tf": text})[0].values.data["name"]


def test_the_steps_of_an_evaluation_are_counted() -> None:
    needed: dict[int, Any] = {
        1: ["x"],
        2: HclFor(("i",), ["a", "b"], None, "x", None, has_key=False, has_condition=False, grouped=False),
        4: HclCall("length", (["a", "b"],), expands=False),
    }
    for steps, written in needed.items():
        for given in range(steps + 3):
            value = Evaluation(lambda _, __: UNKNOWN, lambda _: UNKNOWN, given).value(written, {})
            assert (value is not UNKNOWN) == (given >= steps), (written, given)
    after = Evaluation(lambda _, __: UNKNOWN, lambda _: UNKNOWN, 10)
    after.value(HclAccess(["a", "b", "c"], (HclSplat(),)), {})
    assert after.steps == 10 - 2 - 3  # the access, the list, and each of its items


@pytest.mark.parametrize("length", [10_000, 10_001])
def test_a_text_is_made_up_to_a_length(length: int) -> None:
    template = HclTemplate(("x" * (length - 1), "y"))
    made = Evaluation(lambda _, __: UNKNOWN, lambda _: UNKNOWN, 10).value(template, {})
    filled = ProgramValues({"variables": {"a": "x" * (length - 1)}}, {}).value("y${a}")
    assert (made is UNKNOWN, filled is UNKNOWN) == (length > 10_000, length > 10_000)


def of_locals(number: int) -> str:
    lines = "".join(f"  a{each} = local.a{each + 1}\n" for each in range(number))
    return f'{POOL}  name = local.a0\n}}\nlocals {{\n{lines}  a{number} = "x"\n}}\n'


def of_resources(number: int) -> str:
    blocks = (f'resource "google_x" "a{each}" {{\n  b = google_x.a{each + 1}.b\n}}\n' for each in range(number))
    return f'{POOL}  name = google_x.a0.b\n}}\n{"".join(blocks)}resource "google_x" "a{number}" {{\n  b = "x"\n}}\n'


def of_items_in_a_local(number: int) -> str:
    return f"{POOL}  name = local.a[0]\n}}\nlocals {{\n  a = {json.dumps(['x'] * number)}\n}}\n"


def of_items_in_a_resource(number: int) -> str:
    block = f'resource "google_x" "a" {{\n  b = {json.dumps(["x"] * number)}\n}}\n'
    return f"{POOL}  name = google_x.a.b[0]\n}}\n{block}"


@pytest.mark.parametrize(
    ("written", "most"),
    [(of_locals, 29), (of_resources, 29), (of_items_in_a_local, 9_998), (of_items_in_a_resource, 9_997)],
)
def test_names_are_followed_up_to_a_number(written: Callable[[int], str], most: int) -> None:
    assert name_in(written(most)) == "x"
    assert name_in(written(most + 1)) is UNKNOWN


def test_a_block_is_repeated_up_to_a_number_and_all_blocks_together_up_to_another() -> None:
    for number, instances in ((100, 100), (101, 1)):
        assert len(found({"main.tf": f"{POOL}  count = {number}\n}}\n"})) == instances
        keys = ", ".join(f'"a{each}"' for each in range(number))
        assert len(found({"main.tf": f"{POOL}  for_each = toset([{keys}])\n}}\n"})) == instances
    blocks = [f'resource "google_container_node_pool" "p{each}" {{\n  count = 100\n}}\n' for each in range(51)]
    assert len(found({"main.tf": "".join(blocks)})) == 50 * 100 + 1


def folders(number: int) -> dict[str, str]:
    """Folders that each call the next one as a module; the last one has a node pool."""
    files = {f"m{each}/main.tf": f'module "m" {{\n  source = "../m{each + 1}"\n}}\n' for each in range(number)}
    return {f"m{number}/main.tf": f'{POOL}  name = "x"\n}}\n', **files}


def test_folders_are_followed_up_to_a_depth() -> None:
    for number in (1, 9, 10, 11, 12):  # from the last one, whose file is read first
        (pool,) = found(folders(number))
        assert pool.origin.address.count("module.m.") == min(number, 10)


def modules(number: int) -> dict[str, Any]:
    """A state with a node pool in modules inside of modules."""
    resource = {"mode": "managed", "type": "google_container_node_pool", "name": "p", "values": {}}
    module: dict[str, Any] = {"resources": [resource]}
    for _ in range(number):
        module = {"child_modules": [module]}
    return {"format_version": "1.0", "values": {"root_module": module}}


def plan_with_references(modules: int, levels: int) -> dict[str, Any]:
    """A plan whose node pool refers to a cluster, in modules inside of modules, and at a depth of its expression."""
    expression: Any = {"references": ["google_container_cluster.a.name"]}
    for level in range(levels):
        expression = [expression] if level % 2 else {"x": expression}
    own = {"google_container_node_pool": {"cluster": expression}, "google_container_cluster": {}}
    resources = [
        {"mode": "managed", "type": kind, "name": "a", "expressions": expressions} for kind, expressions in own.items()
    ]
    root: dict[str, Any] = {"resources": resources}
    for _ in range(modules):
        root = {"module_calls": {"m": {"module": root}}}
    above = "module.m." * modules
    changes = [
        {
            "address": f"{above}{kind}.a",
            "module_address": above.rstrip("."),
            "mode": "managed",
            "type": kind,
            "name": "a",
            "change": {"actions": ["create"], "before": None, "after": {}, "after_unknown": {"cluster": True}},
        }
        for kind in own
    ]
    return {"format_version": "1.2", "resource_changes": changes, "configuration": {"root_module": root}}


def referred(data: dict[str, Any]) -> bool:
    (pool,) = [each for each in found({"plan.json": json.dumps(data)}) if each.type == NODE_POOL]
    return bool(pool.refers_to.get("cluster"))


def test_modules_and_expressions_of_a_plan_are_followed_up_to_a_depth() -> None:
    assert [len(found({"state.json": json.dumps(modules(number))})) for number in (49, 50)] == [1, 0]
    assert [referred(plan_with_references(number, 0)) for number in (50, 51)] == [True, False]
    assert [referred(plan_with_references(0, levels)) for levels in (49, 50)] == [True, False]


@pytest.mark.parametrize(
    "around", [lambda value: [value], lambda value: {"a": value}, lambda value: {"fn::secret": value}]
)
def test_values_of_a_program_are_worked_out_up_to_a_depth(around: Callable[[Any], Any]) -> None:
    value: Any = "x"
    for depth in range(1, 33):
        value = around(value)
        assert is_unknown(ProgramValues({}, {}).value(value)) == (depth > 30)


def test_variables_of_a_program_are_followed_up_to_a_depth() -> None:
    for number in (29, 30):
        names = {f"v{each}": f"${{v{each + 1}}}" for each in range(number)}
        value = ProgramValues({"variables": {**names, f"v{number}": "x"}}, {}).value("${v0}")
        assert value == ("x" if number < 30 else UNKNOWN)


def test_the_values_of_a_program_are_counted() -> None:
    for number in (199_999, 200_000):
        values = ProgramValues({}, {}).value([1] * number)
        assert values[-1] == (1 if number < 200_000 else UNKNOWN)


def test_a_folder_is_read_for_a_number_of_calls() -> None:
    calls = "".join(
        f'module "m{each}" {{\n  source = "./pool"\n  count = {count}\n}}\n' for each, count in enumerate((100, 99, 3))
    )
    pools = found({"main.tf": calls, "pool/main.tf": f'{POOL}  name = "x"\n}}\n'})
    addresses = [pool.origin.address for pool in pools]
    assert (len(addresses), addresses[-1]) == (200, "module.m2[0].google_container_node_pool.p")


def workflow(script: str, value: str = "a") -> dict[str, str]:
    """A workflow that runs a script for each of two values of its matrix."""
    job = f"jobs:\n  a:\n    strategy: {{matrix: {{n: [1, 2]}}}}\n    env: {{V: {value}}}\n    steps:\n"
    return {"ci.yaml": f"{job}    - run: |\n        {script}\n"}


def test_a_long_script_is_followed_once() -> None:
    command = "gcloud container clusters create c-${{ matrix.n }} --location=us-east5"
    for length, clusters in ((20_000, 2), (20_001, 1)):
        script = f"{command} # {'x' * (length - len(command) - 11)}"  # with the indentation
        assert [each.type for each in found(workflow(script))].count(CLUSTER) == clusters
    for length, known in ((300, True), (301, False)):
        made = found(workflow("gcloud container clusters create c --location=$V", "x" * length))
        assert (made[0].values.data["location"] is not UNKNOWN) == known


def test_scripts_are_found_up_to_a_depth() -> None:
    value: Any = "gcloud container clusters create c --location=us-east5"
    for depth in range(1, 43):
        value = {"a": value}
        assert bool(found({"ci.yaml": json.dumps(value)})) == (depth <= 40), depth


def test_variables_of_make_are_filled_in_up_to_a_length() -> None:
    recipe = "up:\n\tgcloud container clusters create c --location=$(L)\n"
    for length, known in ((1_000, True), (1_001, False)):
        (cluster, _) = found({"Makefile": f"A = {'x' * length}\nL = $(A)\n{recipe}"})
        assert (cluster.values.data["location"] is not UNKNOWN) == known
        (cluster, _) = found({"Makefile": f"A = x\nL = {'x' * (length - 4)}$(A)\n{recipe}"})
        assert (cluster.values.data["location"] is not UNKNOWN) == known
    (cluster, _) = found({"Makefile": f"L = {'x' * 5_000}\n{recipe}"})
    assert cluster.values.data["location"] == "x" * 5_000
    one, other = "x" * 1_000_000, "$(A)" * 100_000  # together 100 GB
    (cluster, _) = found({"Makefile": f"A = {one}\nL = {other}\n{recipe}"})
    assert cluster.values.data["location"] is UNKNOWN
