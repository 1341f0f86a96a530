"""Exported modules in the real OpenTofu with the real provider: valid, formatted, and equal to the graph."""

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.exported import differences, exported
from support.google_apis.server import Google
from support.plan_corpus import Source, source, sources
from support.shipped import NAMES, TODAY, acknowledged, shipped_plan
from support.terraform.binaries import Programs
from support.terraform.workspace import Terraform, TerraformError

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.export.terraform.hcl import hcl
from pulumi_gke_tpu.features.export.terraform.json_syntax import terraform_json
from pulumi_gke_tpu.features.export.terraform.syntax import Block, attributes

BETA = "google-beta"
"""Google-beta is in no module proxy."""


THREADS = "node_config[0].advanced_machine_features"


def stack(name: str) -> Source:
    found = source(f"stack {name}", shipped_plan(name), TODAY)
    assert found is not None
    return found


def plans() -> Iterator[Source]:
    """The stacks, the bases of edits and the matrix, as far as the provider has their resources."""
    for item in (*sources("stacks"), *sources("matrix")):
        text = "".join(exported(item).values())
        if BETA not in text:
            yield item


def test_the_provider_plans_what_the_graph_has(terraform: Terraform, google: Google) -> None:
    offenders: list[str] = []
    for item in plans():
        terraform.replace(exported(item))
        problems = [found["summary"] for found in terraform.validate()] + terraform.unformatted()
        problems += [str(found) for found in differences(item, terraform.plan().json)]
        offenders += [f"{item}: {problem}" for problem in problems]
    assert offenders == []
    assert google.requests == []


@pytest.mark.parametrize("name", NAMES)
def test_json_is_planned_as_hcl_is(name: str, terraform: Terraform) -> None:
    terraform.write(exported(stack(name)))
    planned = terraform.plan().json["planned_values"]
    terraform.replace(exported(stack(name), json=True))
    assert terraform.validate() == []
    assert terraform.plan().json["planned_values"] == planned


APPLIED = ("stack dev", "stack prod", "stack ironwood", "base networks", "base buckets")
"""The plans that are applied: together they have every type that an export can contain."""


def named(name: str) -> Source:
    """A plan of the corpus."""
    return next(item for item in sources("stacks") if item.name == name)


@pytest.mark.parametrize("name", APPLIED)
def test_after_an_apply_nothing_changes(name: str, terraform: Terraform) -> None:
    terraform.write(exported(named(name)))
    terraform.apply()
    assert terraform.plan().empty


def test_threads_that_gke_reports_replace_no_node_pool(terraform: Terraform, google: Google) -> None:
    shape = {"tpu": "v6e", "zone": "us-east5-b"}
    slices = {"train": {**shape, "topology": "4x4"}, "serve": {**shape, "topology": "2x2", "count": 2}}
    cluster = {"mode": "standard", "location": "us-east5", "slices": slices}
    found = source("threads", {"version": 1, "project": "acme-ml", "clusters": {"east": cluster}}, TODAY)
    assert found is not None
    files = exported(found)
    terraform.write(files)
    terraform.apply()
    (east,) = google.container.clusters.values()
    for name in ("train-0", "serve"):
        east.pools[name]["config"]["advancedMachineFeatures"] = {"threadsPerCore": "1"}
    assert terraform.plan().empty
    terraform.replace({path: text.replace(f"ignore_changes = [{THREADS}]", "") for path, text in files.items()})
    assert terraform.plan().actions == {
        'google_container_node_pool.east__train["train-0"]': ["delete", "create"],
        "google_container_node_pool.east__serve": ["delete", "create"],
    }


def test_every_type_is_applied() -> None:
    found = {
        kind for name in APPLIED for kind in re.findall(r'^resource "(\w+)"', exported(named(name))["main.tf"], re.M)
    }
    assert found - {"terraform_data"} == {item.type for item in read_catalog().terraform.resources.values()}


def test_what_pulumi_made_is_imported_without_a_change(terraform: Terraform, google: Google) -> None:
    """Two steps, as the guide describes them. OpenTofu 1.12 replaces pools whose ``terraform_data`` is new."""
    item = stack("ironwood")
    terraform.write(exported(item))
    terraform.apply()
    for state in terraform.folder.glob("terraform.tfstate*"):
        state.unlink()
    google.requests.clear()
    terraform.replace(exported(item, importing=True))
    plan = terraform.plan()
    done = {(address.partition(".")[0], *actions) for address, actions in plan.actions.items()}
    # The updates are about timeouts and labels in the state, and about a property that only the provider reads.
    assert done == {
        ("terraform_data", "create"),
        ("google_container_cluster", "update"),
        ("google_container_node_pool", "update"),
    }
    terraform.apply()
    assert google.writes() == []
    terraform.replace(exported(item))
    assert terraform.plan().empty


@pytest.mark.parametrize("name", ["prod", "ironwood", "shared"])
def test_the_tests_of_a_module_pass_and_find_another_shape(name: str, terraform: Terraform, google: Google) -> None:
    files = exported(stack(name))
    terraform.write(files)
    assert "1 passed, 0 failed." in terraform.run("test").text
    terraform.write({"main.tf": files["main.tf"].replace('tpu_topology = "', 'tpu_topology = "1')})
    assert "must have tpu_topology" in terraform.run("test", fails=True).text
    assert google.requests == []


@pytest.mark.parametrize("as_json", [False, True])
def test_a_module_takes_project_network_and_account(as_json: bool, terraform: Terraform) -> None:
    plan = shipped_plan("prod")
    cluster = plan["clusters"]["train-east"]
    cluster["network"] = {"network": "projects/acme-ml/global/networks/shared", "subnetwork": "tpus"}
    cluster["node_service_account"] = "nodes@acme-ml.iam.gserviceaccount.com"
    item = source("module", plan, TODAY)
    assert item is not None
    inputs = {
        "project": "other-project",
        "network": "mine",
        "subnetwork": "projects/host/regions/us-east5/subnetworks/mine",
        "node_service_account": "nodes@other-project.iam.gserviceaccount.com",
    }
    call = Block("module", ("tpu",), attributes({"source": "./tpu", **inputs}))
    terraform.write({f"tpu/{name}": text for name, text in exported(item, as_module=True, json=as_json).items()})
    terraform.write({"main.tf": hcl([call])})
    assert terraform.validate() == []
    assert terraform.unformatted() == []
    planned = json.dumps(terraform.plan().json["planned_values"])
    assert "acme-ml" not in planned
    assert [value for value in (*inputs.values(), "other-project.svc.id.goog") if value not in planned] == []
    wrong = Block("module", ("tpu",), attributes({"source": "./tpu", "subnetwork": "projects/h/regions/us-west1/x"}))
    terraform.write({"main.tf": hcl([wrong])})
    with pytest.raises(TerraformError, match="subnetwork must be in the region us-east5"):
        terraform.plan()


@pytest.mark.parametrize("name", ["prod", "shared"])
def test_the_defaults_of_a_module_are_the_plan(name: str, terraform: Terraform) -> None:
    terraform.write(exported(stack(name), as_module=True))
    assert [str(found) for found in differences(stack(name), terraform.plan().json)] == []
    assert "1 passed, 0 failed." in terraform.run("test").text


# What replaces a slice


def applied(plan: Any, terraform: Terraform) -> None:
    item = source("before", plan, TODAY)
    assert item is not None
    terraform.write(exported(item))
    terraform.apply()


def replanned(plan: Any, terraform: Terraform) -> dict[str, list[str]]:
    """What happens to the node pools with another plan."""
    item = source("after", plan, TODAY)
    assert item is not None
    terraform.replace(exported(item))
    actions = terraform.plan().actions
    return {address: what for address, what in actions.items() if address.startswith("google_container_node_pool.")}


REPLACED = ["delete", "create"]


def test_only_the_pools_with_another_shape_are_replaced(terraform: Terraform) -> None:
    plan = acknowledged(shipped_plan("prod"), "replace", "train-east/pretrain")
    applied(plan, terraform)
    slices = plan["clusters"]["train-east"]["slices"]
    slices["pretrain"]["topology"] = "8x8"
    slices["ablation"]["zone"] = "us-east5-b"
    pools = "google_container_node_pool.train_east__"
    assert replanned(plan, terraform) == {
        f'{pools}pretrain["pretrain-0"]': REPLACED,
        f'{pools}pretrain["pretrain-1"]': REPLACED,
        f'{pools}ablation["ablation-0"]': REPLACED,
    }


def test_a_protected_slice_is_not_replaced(terraform: Terraform) -> None:
    plan = shipped_plan("prod")
    applied(plan, terraform)
    plan["clusters"]["train-east"]["slices"]["pretrain"]["topology"] = "8x8"
    with pytest.raises(TerraformError, match="cannot be destroyed"):
        replanned(plan, terraform)


def test_a_slice_stays_when_it_becomes_autoscaled_and_is_replaced_when_it_becomes_static(terraform: Terraform) -> None:
    plan = shipped_plan("prod")
    group = plan["clusters"]["train-east"]["slices"]["ablation"]
    group.update(capacity="spot", count=2)
    applied(plan, terraform)
    pools = [f'google_container_node_pool.train_east__ablation["ablation-{index}"]' for index in (0, 1)]
    group["count"] = {"min": 0, "max": 2}
    assert replanned(plan, terraform) == {pool: ["update"] for pool in pools}
    terraform.apply()
    assert terraform.plan().empty
    group["count"] = 2
    assert replanned(plan, terraform) == dict.fromkeys(pools, REPLACED)


def test_a_new_slice_replaces_no_other(terraform: Terraform) -> None:
    plan = shipped_plan("prod")
    applied(plan, terraform)
    plan["clusters"]["train-east"]["slices"]["pretrain"]["count"] = 3
    assert replanned(plan, terraform) == {'google_container_node_pool.train_east__pretrain["pretrain-2"]': ["create"]}


def test_renamed_items_stay(terraform: Terraform) -> None:
    plan = shipped_plan("prod")
    applied(plan, terraform)
    cluster = plan["clusters"].pop("train-east")
    group = cluster["slices"].pop("pretrain")
    cluster["slices"]["first"] = {**group, "name": "pretrain"}
    plan["clusters"]["east"] = {"name": "train-east", **cluster}
    plan["moved"] = [{"from": "train-east", "to": "east"}, {"from": "train-east/pretrain", "to": "east/first"}]
    item = source("after", plan, TODAY)
    assert item is not None
    terraform.replace(exported(item))
    assert {address: what for address, what in terraform.plan().actions.items() if what != ["update"]} == {}


# Hostile texts


TEXTS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    | st.text(st.sampled_from('${}%"\\\n\r\t~#/*abc'), max_size=12),
    min_size=40,
    max_size=40,
)


@pytest.fixture(scope="module")
def reader(terraform_programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Terraform:
    """A folder whose configuration has only outputs."""
    return Terraform(tmp_path_factory.mktemp("texts"), terraform_programs)


@settings(max_examples=10, deadline=None)
@given(texts=TEXTS)
def test_every_text_is_read_as_it_is(texts: list[str], reader: Terraform) -> None:
    """In HCL and in JSON, as values and as keys of maps. Terraform normalizes Unicode, and sorts keys."""
    _assert_read_back([text for text in texts if text.isascii()] or ["a"], reader)


def test_every_text_of_characters_that_open_expressions_is_read_as_it_is(reader: Terraform) -> None:
    characters = [itertools.product("$%{}", repeat=length) for length in range(1, 6)]
    _assert_read_back(["".join(text) for text in itertools.chain(*characters)], reader)


def _assert_read_back(texts: list[str], reader: Terraform) -> None:
    value = {"texts": texts, "keys": {f"{number}{text}": text for number, text in enumerate(texts)}}
    block = Block("output", ("value",), attributes({"value": value}))
    for files in ({"main.tf": hcl([block])}, {"main.tf.json": terraform_json([block])}):
        reader.replace(files)
        if "main.tf" in files:
            assert reader.unformatted() == []
        assert reader.plan().json["planned_values"]["outputs"]["value"]["value"] == value


def test_comments_and_names_of_a_hostile_plan_are_harmless(terraform: Terraform) -> None:
    plan = shipped_plan("dev")
    (cluster,) = plan["clusters"].values()
    for group in cluster["slices"].values():
        group["node_labels"] = {"a": "${path.cwd}", 'b"c': '%{ for x in [1] }"\n}', "$${d": "\\\n# e"}
    plan["resource_labels"] = {"for": "a", "${b}": "c"}
    item = source("hostile", plan, TODAY)
    assert item is not None
    for files in (exported(item), exported(item, json=True)):
        terraform.replace(files)
        assert [str(found) for found in differences(item, terraform.plan().json)] == []
