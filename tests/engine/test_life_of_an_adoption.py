"""What docs/adopt.md promises around an import, in the real engine: it is resumed, repeated, extended and undone."""

import json
import pathlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import yaml
from support.engine.engine_cloud import Engine
from support.engine.stack_run import DELETE_FIRST, IMPORT_OPTIONS, EngineStack, Run
from support.fleets import Fleet, adoptions, fleets, put_into
from support.gcp_standin.knowledge import POOL
from support.shipped import program

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.adopt.adoption import Adoption
from pulumi_gke_tpu.features.adopt.files import IMPORT, PLAN, files_of

STACK = "prod"
FLEET_URN = f"urn:pulumi:{STACK}::gke-tpu::gke-tpu:index:TpuFleet::{STACK}"
SEVERAL = [fleet for fleet in fleets() if fleet.adopted > 1]
BY_NAME = {fleet.name: fleet for fleet in fleets()}
PROTECTED = BY_NAME["terraform_pools"]
"""One of its slices has a reservation."""

WITH_CLUSTER = BY_NAME["module_default_pool"]


@dataclass(frozen=True)
class Adopted:
    """The files of an adoption, and the stack that imports."""

    engine: Engine
    stack: EngineStack
    adoption: Adoption
    plan: dict[str, Any]
    entries: list[dict[str, Any]]

    def imports(self, entries: list[dict[str, Any]] | None = None) -> str:
        path = self.engine.folder / IMPORT
        path.write_text(json.dumps({"nameTable": {}, "resources": entries or self.entries}), encoding="utf-8")
        return self.stack.import_file(path)

    def preview(self) -> Run:
        return self.stack.preview(program(self.plan))

    def up(self) -> Run:
        return self.stack.up(program(self.plan))

    def is_whole(self) -> bool:
        """Whether the state has every node pool, and a preview changes nothing in the cloud."""
        assert {item["id"] for item in self.stack.state().values()} == set(self.adoption.ids.values())
        run = self.preview()
        assert run.error == ""
        return run.ops() == {}


def adopted(engine: Engine, fleet: Fleet) -> Adopted:
    put_into(engine.cloud, fleet)
    return adopted_into(engine, engine.stack(STACK), fleet)


def adopted_into(engine: Engine, stack: EngineStack, fleet: Fleet) -> Adopted:
    (adoption,) = adoptions(fleet)
    files = files_of(adoption, read_catalog(), STACK)
    return Adopted(engine, stack, adoption, yaml.safe_load(files[PLAN]), json.loads(files[IMPORT])["resources"])


def without(fleet: Fleet, pool: str) -> Fleet:
    """The state of Terraform without a node pool."""
    state = json.loads(fleet.content)
    root = state["values"]["root_module"]
    root["resources"] = [item for item in root["resources"] if item["values"]["name"] != pool]
    return Fleet("state", fleet.origin, fleet.adopted - 1, 0, made=json.dumps(state))


def kept(stack: EngineStack) -> set[str]:
    """The types in the state, without the stack itself and the providers."""
    found = {item["type"] for item in (stack.export().deployment or {}).get("resources", [])}
    return {token for token in found if not token.startswith("pulumi:")}


# A half-done import


@pytest.mark.parametrize("fleet", SEVERAL, ids=lambda fleet: fleet.name)
def test_an_import_that_failed_is_resumed_by_the_same_file(engine: Engine, fleet: Fleet) -> None:
    at = adopted(engine, fleet)
    lost = engine.cloud.lose(at.entries[-1]["id"])
    assert f"resource '{lost.id}' does not exist" in at.imports()
    assert {item["id"] for item in at.stack.state().values()} == set(at.adoption.ids.values()) - {lost.id}
    engine.cloud.put(lost)
    assert at.imports() == ""
    assert at.is_whole()
    assert engine.cloud.requests == []


def test_after_a_part_the_preview_creates_the_rest_and_gke_refuses_that(engine: Engine) -> None:
    at = adopted(engine, PROTECTED)
    assert at.imports(at.entries[:-1]) == ""
    name = f"NodePool {at.entries[-1]['logicalName']}"
    assert at.preview().ops() == {name: "create"}
    assert "already exists" in at.up().error
    assert [request.what for request in engine.cloud.requests if request.what.startswith("DELETE")] == []
    engine.cloud.requests.clear()
    assert at.imports() == ""
    assert at.is_whole()
    assert engine.cloud.requests == []


def test_a_node_pool_that_is_gone_leaves_the_plan_when_adopt_runs_again(engine: Engine) -> None:
    at = adopted(engine, PROTECTED)
    gone = engine.cloud.lose(at.entries[-1]["id"])
    assert at.imports() != ""
    again = adopted_into(engine, at.stack, without(PROTECTED, gone.state["name"]))
    assert again.imports() == ""
    (group,) = re.findall(r"`pulumi state unprotect '(\S+)'`", again.preview().error.replace("\n", " "))
    assert group.endswith(f"TpuSlices::training/{gone.state['name']}")
    assert at.stack.unprotect(group) == ""
    assert again.is_whole()
    assert engine.cloud.requests == []


def test_the_same_import_a_second_time_and_after_an_update_changes_nothing(engine: Engine) -> None:
    at = adopted(engine, PROTECTED)
    assert at.imports() == ""
    assert at.imports() == ""
    assert at.up().error == ""
    before = at.stack.state()
    assert at.imports() == ""
    assert at.stack.state() == before
    assert {step.op for step in at.preview()} == {"same"}
    assert engine.cloud.requests == []


def test_a_node_pool_that_comes_later_is_added_by_another_adoption(engine: Engine) -> None:
    put_into(engine.cloud, PROTECTED)
    first = adopted_into(engine, engine.stack(STACK), without(PROTECTED, "hosts"))
    assert first.imports() == ""
    assert first.is_whole()
    assert first.up().error == ""
    second = adopted_into(engine, first.stack, PROTECTED)
    assert len(second.adoption.ids) == len(first.adoption.ids) + 1
    assert second.imports() == ""
    assert second.is_whole()
    assert second.up().error == ""
    assert engine.cloud.requests == []


# Undo


@pytest.mark.parametrize("updated", [False, True], ids=["imported", "updated"])
def test_undo_leaves_nothing_in_the_state_and_everything_in_the_cloud(engine: Engine, updated: bool) -> None:
    at = adopted(engine, PROTECTED)
    pools = engine.cloud.names(POOL)
    assert at.imports() == ""
    if updated:
        assert at.up().error == ""
    assert "--force" in at.stack.forget("--target-dependents", FLEET_URN)
    assert at.stack.forget("--force", "--target-dependents", FLEET_URN) == ""
    assert kept(at.stack) == set()
    assert engine.cloud.names(POOL) == pools
    assert at.imports() == ""
    assert at.is_whole()
    assert engine.cloud.requests == []


def test_undo_of_one_group_leaves_the_others(engine: Engine) -> None:
    at = adopted(engine, PROTECTED)
    assert at.imports() == ""
    assert at.up().error == ""
    (urn,) = [urn for urn in at.stack.state() if urn.endswith("::training/hosts/hosts")]
    group = urn.replace("$gcp:container/nodePool:NodePool::training/hosts/hosts", "::training/hosts")
    assert at.stack.forget("--target-dependents", group) == ""
    del at.plan["clusters"]["training"]["slices"]["hosts"]
    assert (at.preview().error, at.preview().ops()) == ("", {})
    assert at.up().error == ""
    assert engine.cloud.requests == []


def test_without_the_key_pulumi_compares_what_it_left_as_it_is(engine: Engine) -> None:
    at = adopted(engine, PROTECTED)
    assert at.imports() == ""
    assert at.up().error == ""
    written = at.plan["clusters"]["training"]["slices"]["hosts"].pop("adopted")
    at.plan["clusters"]["training"]["slices"]["hosts"]["adopted"] = {"oauth_scopes": written["oauth_scopes"]}
    assert at.preview().ops() == {}
    del at.plan["clusters"]["training"]["slices"]["hosts"]["adopted"]
    run = at.preview()
    assert run.ops() == {"NodePool training/hosts/hosts": DELETE_FIRST}
    (step,) = [step for step in run.of("training/hosts/hosts") if step.op == "replace"]
    assert {path.partition("[")[0] for path in step.diff} >= {"nodeConfig.gvnic", "nodeConfig.oauthScopes"}


def test_without_the_key_pulumi_compares_everything_of_a_node_pool_without_tpus(engine: Engine) -> None:
    at = adopted(engine, WITH_CLUSTER)
    assert at.imports() == ""
    assert at.up().error == ""
    (cluster,) = at.plan["clusters"].values()
    name, pool = next(iter(cluster["cpu_pools"].items()))
    pool["nodes"] = pool.pop("adopted")["nodes"]
    assert any(text.endswith(f"/cpu_pools/{name}") for text in at.preview().ops())


def test_without_the_key_pulumi_replaces_a_cluster(engine: Engine) -> None:
    at = adopted(engine, WITH_CLUSTER)
    assert at.imports() == ""
    assert at.up().error == ""
    ((key, cluster),) = at.plan["clusters"].items()
    del cluster["adopted"], cluster["version"]  # this key states the version of an existing cluster
    run = at.preview()
    assert run.ops()[f"Cluster {key}"] == DELETE_FIRST


def protected(stack: EngineStack) -> set[str]:
    """The IDs of the resources that the state protects."""
    resources = (stack.export().deployment or {}).get("resources", [])
    return {item["id"] for item in resources if item.get("protect") and item.get("custom")}


def test_everything_is_protected_until_the_first_update(engine: Engine) -> None:
    at = adopted(engine, PROTECTED)
    assert at.imports() == ""
    assert protected(at.stack) == set(at.adoption.ids.values())
    assert at.up().error == ""
    assert {item.rpartition("/")[2] for item in protected(at.stack)} == {"reserved"}
    assert engine.cloud.requests == []


@pytest.mark.parametrize("updated", [False, True], ids=["after the import", "after an update"])
def test_a_protected_slice_is_never_replaced(engine: Engine, updated: bool) -> None:
    at = adopted(engine, PROTECTED)
    assert at.imports() == ""
    assert not updated or at.up().error == ""
    ((_, cluster),) = at.plan["clusters"].items()
    cluster["slices"]["reserved"]["topology"] = "4x8"
    assert "protect" in at.up().error
    assert engine.cloud.requests == []


def test_the_documented_command_is_the_one_that_is_tried() -> None:
    page = (pathlib.Path(__file__).parents[2] / "docs" / "adopt.md").read_text(encoding="utf-8")
    assert f"pulumi import --stack prod --file import.json {' '.join(IMPORT_OPTIONS)}\n" in page
    assert "pulumi state delete --stack prod --force --target-dependents URN_OF_THE_FLEET" in page


@pytest.mark.parametrize(
    ("name", "section", "pool", "key"),
    [("module_two_accounts", "slices", "serve", "count"), ("gcloud_cluster", "cpu_pools", "default-pool", "nodes")],
)
def test_a_resized_node_pool_keeps_its_nodes_until_the_plan_has_their_number(
    engine: Engine, name: str, section: str, pool: str, key: str
) -> None:
    at = adopted(engine, BY_NAME[name])
    (cluster,) = at.plan["clusters"].values()
    entry = cluster[section][pool]
    nodes, zones = entry["adopted"]["nodes"], len(entry.get("zones", [""]))
    engine.cloud.resize(pool, nodes + 2 * zones)
    assert at.imports() == ""
    assert at.is_whole()
    assert at.up().error == ""
    assert engine.cloud.requests == []
    entry[key] = nodes + zones
    assert at.up().error == ""
    assert [request.what for request in engine.cloud.requests] == ["POST NodePool:setSize"]


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}" if path else name)
    elif value not in (None, {}, [], "", False, 0):
        yield path, str(value)


@pytest.mark.parametrize(
    ("name", "pool", "group"),
    [("toolkit_v6e_cluster", "v6e-pool-0", "v6e-pool"), ("toolkit_v6e_static", "v6e-pool-0", "v6e-pool")],
)
def test_a_replacement_creates_the_node_pool_with_what_it_had(engine: Engine, name: str, pool: str, group: str) -> None:
    at = adopted(engine, BY_NAME[name])
    assert at.imports() == ""
    assert at.up().error == ""
    before = dict(leaves(engine.cloud.pool(pool).state))
    (cluster,) = at.plan["clusters"].values()
    cluster["slices"][group] |= {"topology": "4x8", "protect": False}
    assert at.up().error == ""
    after = dict(leaves(engine.cloud.pool(pool).state))
    (item,) = [item for item in at.adoption.pools if item.pool.name == pool]
    imports = read_catalog().platform.imports
    others = ("cluster", *imports.node_pool, *imports.assigned, *item.left, *item.lost)
    had = {path for path, _ in leaves(dict(item.pool.values)) if not path.startswith(others)}
    assert {path for path in had if before[path] != after.get(path)} == {"placementPolicy.tpuTopology"}
    assert any(path.startswith("nodeConfig.linuxNodeConfig.sysctls") for path in had)
