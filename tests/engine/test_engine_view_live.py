"""``gke-tpu diff --engine-events`` with what the real command line writes: confirmations, drift, secrets."""

import contextlib
import io
import json
import pathlib
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest
import yaml
from pulumi.automation import ConfigValue
from support.engine.engine_cloud import Engine, started
from support.engine.pulumi_cli import PulumiCli
from support.engine.stack_run import Program
from support.shipped import STACKS, TODAY, Plan

from pulumi_gke_tpu import load_plan
from pulumi_gke_tpu.cli import main

SECRET, PLAIN = "correct-horse-battery", "plain-horse-battery"
FORMS = ("stream", "digest")
Change = Callable[[Plan], object]


class Prod:
    """The prod stack, brought up in a cloud of its own; the plan in its folder can be changed."""

    def __init__(self, engine: Engine, folder: pathlib.Path) -> None:
        self.engine, self.folder = engine, folder
        self.base, self.plan = folder / "base.yaml", folder / "prod" / "plan.yaml"
        shutil.copy(STACKS / "prod" / "plan.yaml", self.base)
        shutil.copytree(STACKS / "prod", self.plan.parent)
        self.stack = engine.stack("prod")
        self.stack.configure(token=ConfigValue(SECRET, secret=True), place=ConfigValue(PLAIN))
        assert self.stack.up(self.program).error == ""

    def program(self) -> None:
        """What the program of the shipped stacks does with the plan as it is now."""
        from pulumi_gke_tpu import TpuFleet

        TpuFleet("prod", load_plan(self.plan, today=TODAY))

    def events(self, form: str, program: Program | None = None, **options: Any) -> pathlib.Path:
        """What ``pulumi preview --json`` writes."""
        path = self.folder / "events.json"
        written = self.stack.preview_json(program or self.program, streaming=form == "stream", **options)
        path.write_text(written, encoding="utf-8")
        return path

    def write(self, change: Change) -> None:
        """Change the plan from what it was at first."""
        plan = yaml.safe_load(self.base.read_text(encoding="utf-8"))
        change(plan)
        self.plan.write_text(yaml.safe_dump(plan, sort_keys=False), encoding="utf-8")

    def diff(self, events: pathlib.Path, form: str = "json", *options: str) -> str:
        """What ``gke-tpu diff`` writes about the plan as it is now."""
        out = io.StringIO()
        arguments = ["diff", self.base, self.plan, "--today", "2026-11-20", "--engine-events", events, "--format", form]
        with contextlib.redirect_stdout(out), pytest.raises(SystemExit):
            main([*map(str, arguments), *options])
        return out.getvalue()


@pytest.fixture(scope="module")
def prod(cli: PulumiCli, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prod]:
    folder = tmp_path_factory.mktemp("prod")
    with started(cli, folder) as engine:
        yield Prod(engine, folder)


def cluster(plan: Plan) -> Any:
    return plan["clusters"]["train-east"]


EDITS: dict[str, Change] = {
    "nothing": lambda plan: None,
    "more slices": lambda plan: cluster(plan)["slices"]["sweep"]["count"].update(max=10),
    "another topology": lambda plan: cluster(plan)["slices"]["ablation"].update(topology="4x4x8"),
    "a protected topology": lambda plan: cluster(plan)["slices"]["pretrain"].update(topology="8x16"),
    "a protected group gone": lambda plan: cluster(plan)["slices"].pop("pretrain"),
    "a new group": lambda plan: cluster(plan)["slices"].update(
        trial={"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "capacity": "spot"}
    ),
    "another channel": lambda plan: cluster(plan).update(release_channel="rapid"),
}


IN_BOTH_FORMS = ("more slices", "another topology", "a protected group gone")


@pytest.mark.parametrize(
    ("name", "form"), [*((name, "stream") for name in EDITS), *((name, "digest") for name in IN_BOTH_FORMS)]
)
def test_the_engine_confirms(prod: Prod, name: str, form: str) -> None:
    prod.write(EDITS[name])
    found = json.loads(prod.diff(prod.events(form), "json", "--fail-on", "engine"))
    assert [verdict for verdict in found["engine"]["verdicts"] if verdict["verdict"] != "confirmed"] == []
    expected = sum(len(item["resources"]) for item in found["items"])
    assert (len(found["engine"]["verdicts"]), found["engine"]["notes"], found["failed"]) == (expected, [], [])
    assert found["engine"]["runs"][0]["stack"] == "prod"


LABELS: dict[str, Change] = {
    "other labels of everything": lambda plan: plan.update(resource_labels={"first": "label"}),
    "the first label of a group": lambda plan: cluster(plan)["slices"]["sweep"].update(resource_labels={"a": "b"}),
    "the first node label": lambda plan: cluster(plan)["slices"]["sweep"].update(node_labels={"a": "b"}),
}


@pytest.mark.parametrize("read", [False, True], ids=["not read yet", "read before"])
@pytest.mark.parametrize("name", LABELS)
def test_the_engine_confirms_labels_before_and_after_the_first_read(prod: Prod, name: str, read: bool) -> None:
    """Empty maps are null until the first read, so the provider names other paths before it, and tags of pools."""
    prod.write(LABELS[name])
    found = json.loads(prod.diff(prod.events("stream", refresh=read)))
    assert found["engine"]["verdicts"] != []
    assert [verdict for verdict in found["engine"]["verdicts"] if verdict["verdict"] != "confirmed"] == []
    assert found["engine"]["notes"] == []


def told_secrets() -> None:
    """Another resource and a message, both with values of the stack's configuration."""
    config = pulumi.Config()
    token = config.require_secret("token")
    gcp.compute.Network("other", name="other", description=token)
    token.apply(lambda text: pulumi.log.warn(f"the token is {text}, the place {config.require('place')}"))


@pytest.mark.parametrize("form", FORMS)
def test_other_resources_are_counted_and_secrets_never_shown(prod: Prod, form: str) -> None:
    prod.write(EDITS["more slices"])

    def program() -> None:
        prod.program()
        told_secrets()

    events = prod.events(form, program)
    view = json.loads(prod.diff(events))["engine"]
    assert (view["others"], [verdict["verdict"] for verdict in view["verdicts"]]) == (1, ["confirmed"])
    assert any("the token is [secret], the place [secret]" in said["message"] for said in view["diagnostics"])
    for written in ("json", "text", "markdown", "sarif"):
        shown = prod.diff(events, written, *(["--resources"] if written == "text" else []))
        assert SECRET not in shown
        assert PLAIN not in shown


def a_pool_in_a_wrong_zone() -> None:
    """A slice beside our own, where the generation is not offered."""
    gcp.container.NodePool(
        "stray",
        name="stray",
        project="acme-ml",
        cluster="other",
        location="us-east5",
        node_locations=["us-east5-d"],
        initial_node_count=1,
        node_config={
            "machine_type": "ct6e-standard-4t",
            "reservation_affinity": {"consume_reservation_type": "NO_RESERVATION"},
        },
        opts=pulumi.ResourceOptions(delete_before_replace=True),
    )


@pytest.mark.parametrize("form", FORMS)
def test_what_policies_say_is_passed_on(prod: Prod, served: pathlib.Path, form: str) -> None:
    prod.write(EDITS["more slices"])

    def program() -> None:
        prod.program()
        a_pool_in_a_wrong_zone()

    view = json.loads(prod.diff(prod.events(form, program, policy_packs=[str(served)])))["engine"]
    told = [(policy["policy"], policy["level"], policy["resource"]) for policy in view["policies"]]
    assert told == ([("TPU207", "mandatory", "stray")] if form == "stream" else [])
    assert all("not available in zone us-east5-d" in policy["message"] for policy in view["policies"])
    unsaid = " A preview in one JSON document does not contain the results of policies." if form == "digest" else ""
    assert view["notes"] == [f"The preview of stack `prod` failed; see its messages.{unsaid}"]


@pytest.mark.parametrize("form", FORMS)
def test_a_program_that_fails_confirms_nothing(prod: Prod, form: str) -> None:
    prod.write(EDITS["more slices"])
    plan = prod.plan.read_text(encoding="utf-8")
    events = prod.folder / "failed.json"
    prod.plan.write_text("version: 1\n", encoding="utf-8")
    shutil.copy(prod.events(form), events)
    prod.plan.write_text(plan, encoding="utf-8")
    view = json.loads(prod.diff(events))["engine"]
    assert [verdict["verdict"] for verdict in view["verdicts"]] == ["open"]
    assert view["notes"][0].endswith("ended before it reached any resource (failed): nothing is confirmed.")


def test_drift_is_named(engine: Engine, tmp_path: pathlib.Path) -> None:
    prod = Prod(engine, tmp_path)
    pool = engine.cloud.pool("pretrain-0")
    pool.state["nodeConfig"]["resourceLabels"] = {**pool.state["nodeConfig"].get("resourceLabels", {}), "cost": "x"}
    prod.write(EDITS["more slices"])
    for form in FORMS:
        found = json.loads(prod.diff(prod.events(form, refresh=True), "json", "--fail-on", "engine"))
        doubtful = [verdict for verdict in found["engine"]["verdicts"] if verdict["verdict"] != "confirmed"]
        assert [(verdict["verdict"], verdict["name"], verdict["engine_only"]) for verdict in doubtful] == [
            ("unexpected", "train-east/pretrain/pretrain-0", ["nodeConfig.resourceLabels.cost"])
        ]
        assert found["failed"] == ["the engine's preview does not confirm the change: 1 unexpected"]
