"""``gke-tpu export terraform --existing``: import blocks for what a file of another tool has, and only for that."""

import json
import pathlib
import re
from typing import Any

import pytest
from support.fleets import fleets
from support.plan_corpus import catalog
from support.terraform.plans import POOL, change, plan, slice_values
from support.terraform.recordings import recorded

from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.features.export.terraform.imports import existing_resources

TODAY = ("--today", "2026-11-20")
FLEET = next(fleet for fleet in fleets() if fleet.name == "xpk_older_v6e")
PLACE = "my-project/us-east5/train"


@pytest.fixture
def answer() -> Any:
    """An answer of gcloud about a cluster with the slices 0 and 2."""
    return json.loads(FLEET.content)


@pytest.fixture
def export(gke_tpu: Any, tmp_path: pathlib.Path, answer: Any) -> Any:
    """Adopts the slices of the fleet, or also its cluster, and exports the plan with an answer as SOURCE."""
    first = tmp_path / "first.json"
    first.write_text(json.dumps(answer))

    def run(source: Any, *options: str, adopt: tuple[str, ...] = ("--slices-only",)) -> Any:
        assert gke_tpu("adopt", first, "-o", tmp_path / "adopted", *adopt).code == 0
        path = tmp_path / "source.json"
        path.write_text(json.dumps(source))
        folder = tmp_path / "terraform"
        done = gke_tpu("export", "terraform", tmp_path / "adopted", "-o", folder, "--existing", path, *TODAY, *options)
        files = {name: (folder / name).read_text() for name in ("main.tf", "imports.tf") if (folder / name).exists()}
        return done, files

    return run


def named(answer: Any, name: str) -> Any:
    """A node pool of the answer."""
    return next(pool for pool in answer["nodePools"] if pool["name"] == name)


def notes(err: str) -> list[str]:
    """The lines about resources, besides the warnings about the plan."""
    return [line for line in err.splitlines() if line.startswith("google_")]


def ids(text: str) -> list[str]:
    return re.findall(r'^  id = "(.*)"$', text, re.MULTILINE)


def test_what_the_source_has_is_imported(export: Any, answer: Any) -> None:
    done, files = export(answer)
    assert (done.code, notes(done.err)) == (0, [])
    assert ids(files["imports.tf"]) == [f"{PLACE}/train-np-0", f"{PLACE}/train-np-2"]
    assert "replace_triggered_by" not in files["main.tf"]


def test_an_adopted_cluster_is_imported_with_all_its_node_pools(export: Any, answer: Any) -> None:
    done, files = export(answer, adopt=())
    assert (done.code, notes(done.err)) == (0, [])
    pools = [f"{PLACE}/{pool}" for pool in ("default-pool", "train-np-0", "train-np-2")]
    assert ids(files["imports.tf"]) == ["projects/my-project/locations/us-east5/clusters/train", *pools]


def test_what_the_source_lacks_is_created_and_named(export: Any, answer: Any) -> None:
    answer["nodePools"].remove(named(answer, "train-np-2"))
    done, files = export(answer)
    address = 'google_container_node_pool.train__train_np["train-np-2"]'
    assert (done.code, notes(done.err)) == (0, [f"{address}: not in SOURCE, so Terraform creates it"])
    assert ids(files["imports.tf"]) == [f"{PLACE}/train-np-0"]
    assert f"# - {address}\n" in files["imports.tf"]


def test_a_node_pool_of_another_cluster_is_not_the_one_of_the_plan(export: Any, answer: Any) -> None:
    for item in (answer, *answer["nodePools"]):
        item["selfLink"] = item["selfLink"].replace("/us-east5/", "/us-east1/")
    answer["location"] = "us-east1"
    done, files = export(answer)
    assert done.err.count("not in SOURCE") == 2
    assert ids(files["imports.tf"]) == []


def test_the_output_names_the_status_of_a_failed_node_pool(export: Any, answer: Any) -> None:
    named(answer, "train-np-0")["status"] = "ERROR"
    done, files = export(answer)
    assert 'train-np-0"]: its status is ERROR, which no plan of Terraform shows\n' in done.err
    assert ids(files["imports.tf"]) == [f"{PLACE}/train-np-0", f"{PLACE}/train-np-2"]


def test_an_adopted_node_pool_has_no_update_at_the_import(export: Any, answer: Any) -> None:
    """Terraform would store timeouts, and add blocks that gke-tpu has and the node pool lacks."""
    ignored = re.search(r"ignore_changes = \[\n(.*?)\n    \]", export(answer)[1]["main.tf"], re.DOTALL)
    assert ignored is not None
    paths = ignored[1].replace(" ", "").replace(",", "").splitlines()
    assert {"timeouts", "node_config[0].kubelet_config", "node_config[0].taint"} <= set(paths)
    assert [path for path in paths if path.startswith("node_config[0].kubelet_config.")] == []


def test_a_property_that_google_never_sends_needs_google_beta(export: Any, answer: Any) -> None:
    files = export(answer)[1]
    assert "# The provider google takes node_config[0].host_maintenance_policy, but never sends it." in files["main.tf"]
    assert re.search(r"provider += google-beta\n", files["main.tf"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--import",), "either --import, if all resources exist, or --existing SOURCE"),
        (("--module",), "--module cannot be combined"),
        (("--existing", "nothing.json"), "nothing.json"),
    ],
)
def test_wrong_calls_are_refused(options: tuple[str, ...], message: str, export: Any, answer: Any) -> None:
    done, files = export(answer, *options)
    assert done.code == 2
    assert message in done.err
    assert files == {}


def test_another_file_is_refused(export: Any) -> None:
    done, files = export({"a": 1})
    assert "is not a description of resources that gke-tpu reads" in done.err
    assert (done.code, files) == (2, {})


def test_plan_and_source_cannot_both_be_standard_input(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    done = gke_tpu("export", "terraform", "-", "-o", tmp_path / "out", "--existing", "-")
    assert (done.code, "cannot both be standard input" in done.err) == (2, True)


def found(content: bytes) -> dict[tuple[str, str], str]:
    resources = ResourceReader(catalog()).read("source.json", content)
    assert resources is not None
    return dict(existing_resources(resources.found, catalog()))


@pytest.mark.parametrize("name", ["everything", "fleet_no_change", "no_change"])
def test_every_resource_of_a_state_is_identified(name: str) -> None:
    types = {item.type for item in catalog().terraform.resources.values()}
    state = recorded(name).state
    managed = [item for item in state["values"]["root_module"]["resources"] if item["type"] in types]
    assert managed
    assert len(found(json.dumps(state).encode())) == len(managed)


def test_what_a_plan_creates_does_not_exist() -> None:
    values = slice_values()
    assert found(plan(change(f"{POOL}.a", ["create"], None, values)).encode()) == {}
    assert len(found(plan(change(f"{POOL}.a", ["no-op"], values, values)).encode())) == 1
