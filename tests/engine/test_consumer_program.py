"""A project of a user, with the wheel in an environment of its own, in the real engine and in the preview."""

import json
import pathlib
from typing import Any

import pytest
from support.engine.engine_cloud import started
from support.engine.pulumi_cli import PulumiCli
from support.gcp_standin.knowledge import CLUSTER, POOL
from support.installed_wheel import ROOT, Installed, installed_once, run

PROJECT = ROOT / "tests" / "packaging" / "data" / "consumer_project"
PREVIEW = """
import json, sys
sys.path.insert(0, sys.argv[1])
import training
from pulumi_gke_tpu.preview import plain, run_program
graph = run_program(training.main, project="gke-tpu", stack="prod")
print(json.dumps({item.urn: plain(item.inputs) for item in graph.resources if item.type.startswith("gcp:")}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return installed_once(tmp_path_factory)


@pytest.fixture(scope="module")
def outcome(cli: PulumiCli, installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the engine did and kept."""
    folder = tmp_path_factory.mktemp("runs")
    driver = ROOT / "tests" / "support" / "engine" / "consumer_driver.py"
    with started(cli, folder) as engine:
        words = (driver, PROJECT, cli.root, folder / "stack", engine.port)
        said = run(installed.python, *words, cwd=folder)
    return json.loads(said.splitlines()[-1])


def of_type(outcome: Any, token: str) -> dict[str, Any]:
    return {urn: item for urn, item in outcome["state"].items() if item["type"] == token}


def test_it_runs_with_the_wheel(outcome: Any, installed: Installed) -> None:
    assert pathlib.Path(outcome["package"]).is_relative_to(installed.site)
    assert outcome["errors"] == ["", "", ""]


def test_the_preview_says_what_the_update_does(outcome: Any) -> None:
    assert outcome["first"] == outcome["made"]
    assert set(outcome["made"].values()) == {"create"}
    assert {"NodePool shared/pretrain/pretrain-0", "NodePool shared/pretrain/pretrain-1"} <= set(outcome["made"])


def test_a_second_preview_shows_no_change(outcome: Any) -> None:
    assert outcome["again"] == {}


def test_every_option_of_the_program_arrives(outcome: Any) -> None:
    (cluster,) = of_type(outcome, CLUSTER).values()
    pools = of_type(outcome, POOL)
    assert len(pools) == 2
    for urn, pool in pools.items():
        assert urn.split("::")[2] == f"acme:index:Platform$gke-tpu:index:TpuSlices${POOL}"
        assert pool["inputs"]["cluster"] == cluster["id"].rpartition("/")[2]
        assert pool["inputs"]["nodeConfig"]["resourceLabels"] == {"team": "research"}
        assert pool["protect"] is True
        assert pool["provider"].startswith("urn:pulumi:prod::gke-tpu::pulumi:providers:gcp::research::")
        assert {dependency.rpartition("::")[2] for dependency in pool["dependencies"]} == {"reader", "shared"}


def test_the_embedded_preview_shows_the_same(outcome: Any, installed: Installed, tmp_path: pathlib.Path) -> None:
    """Apart from unknown values, and from the defaults that the provider adds."""
    inputs = json.loads(run(installed.python, "-c", PREVIEW, PROJECT, cwd=tmp_path))
    assert inputs.keys() == outcome["state"].keys()
    for urn, resource in inputs.items():
        kept = outcome["state"][urn]["inputs"]
        for key, value in resource.items():
            assert agree(value, kept[key]), (urn, key)


def agree(seen: Any, kept: Any) -> bool:
    if isinstance(seen, dict) and isinstance(kept, dict):
        return all(key in kept and agree(value, kept[key]) for key, value in seen.items())
    if isinstance(seen, list) and isinstance(kept, list):
        return len(seen) == len(kept) and all(map(agree, seen, kept))
    return bool(seen == kept) or (isinstance(seen, dict) and "$unknown" in seen and bool(kept))
