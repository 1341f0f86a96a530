"""The policy pack in the real engine: violations fail a preview, silent updates are reported, our own stacks pass."""

import json
import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from pulumi import automation
from support.engine.engine_cloud import Engine, executable
from support.engine.stack_run import EngineStack
from support.engine.tidy_program import TidyProgram
from support.shipped import NAMES, program, shipped_plan

from pulumi_gke_tpu.features import policy_pack

Program = Callable[[], None]
FOLDER = pathlib.Path(policy_pack.__path__[0])


@dataclass(frozen=True)
class Outcome:
    """What the engine made of a run. ``violations`` are policy, level and resource, sorted."""

    succeeded: bool
    violations: tuple[tuple[str, str, str], ...]
    text: str


def run(
    stack: EngineStack, wanted: Program, pack: pathlib.Path, *, up: bool = False, config: pathlib.Path | None = None
) -> Outcome:
    found: list[tuple[str, str, str]] = []

    def collect(event: Any) -> None:
        told = event.policy_event
        if told is not None:
            found.append((told.policy_name, told.enforcement_level, told.resource_urn.rsplit("::", 1)[-1]))

    action = stack._stack.up if up else stack._stack.preview
    options: dict[str, Any] = {"policy_packs": [str(pack)], "on_event": collect}
    if config is not None:
        options["policy_pack_configs"] = [str(config)]
    tidy = TidyProgram(wanted)
    try:
        text, succeeded = action(program=tidy, **options).stdout, True
    except automation.CommandError as failure:
        text, succeeded = str(failure), False
        tidy.clear_away()
    return Outcome(succeeded, tuple(sorted(set(found))), text)


def raw(topology: str, hosts: int, zone: str = "us-east5-b", **options: Any) -> Program:
    """A program without our components: a cluster, and a slice in it."""

    def make() -> None:
        import pulumi
        import pulumi_gcp as gcp

        cluster = gcp.container.Cluster(
            "train",
            name="train",
            project="acme-ml",
            location="us-east5",
            initial_node_count=1,
            deletion_protection=False,
        )
        gcp.container.NodePool(
            "main",
            name="main",
            project="acme-ml",
            cluster=cluster.id,
            location="us-east5",
            node_locations=[zone],
            initial_node_count=0,
            autoscaling={"min_node_count": 0, "max_node_count": hosts, "location_policy": "ANY"},
            placement_policy={"type": "COMPACT", "tpu_topology": topology},
            node_config={
                "machine_type": "ct6e-standard-4t",
                "reservation_affinity": {"consume_reservation_type": "NO_RESERVATION"},
            },
            opts=pulumi.ResourceOptions(
                delete_before_replace=True,
                ignore_changes=["nodeConfig.advancedMachineFeatures"],  # GKE adds the threads of TPU hosts
                **options,
            ),
        )

    return make


@pytest.mark.parametrize("stack", NAMES)
def test_our_own_stacks_pass(engine: Engine, served: pathlib.Path, stack: str) -> None:
    outcome = run(engine.stack(stack), program(shipped_plan(stack), stack), served)
    assert (outcome.succeeded, outcome.violations) == (True, ()), outcome.text


def test_a_wrong_pool_stops_the_preview(engine: Engine, served: pathlib.Path) -> None:
    outcome = run(engine.stack("raw"), raw("4x3", 3), served)
    assert not outcome.succeeded
    assert outcome.violations == (("TPU112", "mandatory", "main"),), outcome.text
    assert "TPU112 placementPolicy.tpuTopology: v6e has no topology 4x3" in outcome.text


def test_levels_and_exceptions_are_configured(engine: Engine, served: pathlib.Path, tmp_path: pathlib.Path) -> None:
    stack, config = engine.stack("raw"), tmp_path / "config.json"
    config.write_text(json.dumps({"TPU207": "advisory"}))
    outcome = run(stack, raw("4x4", 4, "us-east5-d"), served, config=config)
    assert (outcome.succeeded, outcome.violations) == (True, (("TPU207", "advisory", "main"),)), outcome.text
    config.write_text(json.dumps({"TPU207": {"except": ["main"]}}))
    outcome = run(stack, raw("4x4", 4, "us-east5-d"), served, config=config)
    assert (outcome.succeeded, outcome.violations) == (True, ()), outcome.text


def test_a_topology_that_was_not_applied_is_reported_after_the_update(
    engine: Engine, served: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """The same number of nodes would be a wrong size as well, which stops the preview already."""
    stack, config = engine.stack("raw"), tmp_path / "config.json"
    config.write_text(json.dumps({"TPU462": "disabled"}))
    assert run(stack, raw("4x4", 4), served, up=True).violations == ()
    silent = run(stack, raw("2x4", 4), served, up=True, config=config)
    assert (silent.succeeded, silent.violations) == (False, (("TPU168-stack", "mandatory", "main"),)), silent.text


def test_a_replaced_pool_has_its_topology(engine: Engine, served: pathlib.Path) -> None:
    stack = engine.stack("raw")
    replaced = {"replace_on_changes": ["placementPolicy.tpuTopology"]}
    assert run(stack, raw("4x4", 4, **replaced), served, up=True).violations == ()
    assert run(stack, raw("2x4", 2, **replaced), served).violations == ()
    outcome = run(stack, raw("2x4", 2, **replaced), served, up=True)
    assert (outcome.succeeded, outcome.violations) == (True, ()), outcome.text


def test_the_folder_is_a_policy_pack(engine: Engine, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a release of Pulumi, whose launcher for Python packs is not in the CLI alone.

    Pulumi splits ``--policy-pack`` at commas, which the path of the checkout may contain, so the folder is linked.
    """
    folder = tmp_path / "pack"
    folder.symlink_to(FOLDER)
    executable(tmp_path / "pulumi-analyzer-policy-python", '"$2"')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    outcome = run(engine.stack("raw"), raw("4x3", 3), folder)
    assert outcome.violations == (("TPU112", "mandatory", "main"),), outcome.text
