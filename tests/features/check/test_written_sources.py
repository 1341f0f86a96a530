"""Files as people write them for several tools: each fault is reported at its line, and right files have no findings.

``tests/data/sources`` has one file or folder for each case; ``expected.yaml`` a text on each line with a fault.
"""

import json
import pathlib
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.features.check.commands.check import command

DATA = pathlib.Path(__file__).parents[2] / "data" / "sources"
EXPECTED: dict[str, list[str]] = yaml.safe_load((DATA / "expected.yaml").read_text())
UNREAD = {"TPU720", "TPU721", "TPU893"}
"""Rules about files that are not read, or not to their end."""
NOT_FOUND: dict[str, str] = yaml.safe_load((DATA / "not_found.yaml").read_text())
"""Case -> why its fault is not found; the report names what was not read."""


def cases(side: str) -> list[str]:
    return sorted(f"{kind.name}/{case.name}" for kind in (DATA / side).iterdir() for case in kind.iterdir())


def checked(side: str, case: str) -> dict[str, Any]:
    result = CliRunner().invoke(command, [str(DATA / side / case), "--format=json", "--today=2026-11-29"])
    assert result.exit_code in (0, 1), result.output
    return dict(json.loads(result.stdout))


def told(finding: dict[str, Any]) -> str:
    """The message of a finding, and the line at which it is."""
    lines = pathlib.Path(finding["file"]).read_text().splitlines()
    return f"{finding['message']}\n{lines[finding['line'] - 1]}"


def test_every_faulty_case_has_its_row() -> None:
    assert cases("faulty") == sorted(EXPECTED)
    assert NOT_FOUND.keys() <= EXPECTED.keys()


@pytest.mark.parametrize("case", sorted(EXPECTED))
def test_every_fault_is_reported_at_its_line_or_its_part_is_named_as_not_read(case: str) -> None:
    answer = checked("faulty", case)
    found = [told(each) for each in answer["findings"] if each["severity"] != "note" and each["rule"] not in UNREAD]
    missing = [text for text in EXPECTED[case] if not any(text in each for each in found)]
    assert bool(missing) == (case in NOT_FOUND), found
    assert not missing or found or answer["read"]["not_read"] or answer["counts"]["warning"]


@pytest.mark.parametrize("case", cases("right"))
def test_right_files_have_no_findings_and_something_is_read(case: str) -> None:
    answer = checked("right", case)
    assert [each for each in answer["findings"] if each["severity"] != "note"] == []
    read = answer["read"]
    assert read["clusters"] + read["node_pools"] + read["objects"] or read["not_read"]


def test_a_limit_keeps_its_name_in_messages_if_a_key_of_plans_has_it(tmp_path: pathlib.Path) -> None:
    limits = "".join(
        f'    resource_limits {{\n      resource_type = "{name}"\n      maximum = 64\n    }}\n'
        for name in ("cpu", "memory", "tpu")
    )
    settings = f"  cluster_autoscaling {{\n    enabled = true\n{limits}  }}\n"
    head = '  name = "a"\n  location = "us-east5"\n  initial_node_count = 1\n'
    (tmp_path / "main.tf").write_text(f'resource "google_container_cluster" "a" {{\n{head}{settings}}}\n')
    result = CliRunner().invoke(command, [str(tmp_path), "--format=json"])
    found = [each["message"] for each in json.loads(result.stdout)["findings"] if each["rule"] == "TPU221"]
    assert [message.partition(": unknown TPU ")[2] for message in found] == ["`tpu`: use an accelerator label"]


def test_a_fix_for_the_module_has_the_keys_of_the_module(tmp_path: pathlib.Path) -> None:
    shared = (
        'machine_type = "ct6e-standard-4t", tpu_topology = "4x4", node_locations = "us-east5-b", initial_node_count = 4'
    )
    scaled = f'{{ name = "a", {shared}, min_count = 0, max_count = 3, disk_type = "pd-ssd" }}'
    total = f'{{ name = "b", {shared}, total_max_count = 4, disk_type = "hyperdisk-balanced" }}'
    call = f'name = "a"\n  region = "us-east5"\n  kubernetes_version = "1.30"\n  node_pools = [{scaled}, {total}]\n'
    source = 'source = "terraform-google-modules/kubernetes-engine/google"\n  '
    (tmp_path / "main.tf").write_text(f'module "gke" {{\n  {source}{call}}}\n')
    found = json.loads(CliRunner().invoke(command, [str(tmp_path), "--format=json"]).stdout)["findings"]
    steps = {each["rule"]: each["fix"] or each["advice"] for each in found}
    assert steps["TPU462"] == "max_count = 4"
    assert steps["TPU501"] == 'disk_type = "hyperdisk-balanced"'
    assert steps["TPU232"].startswith('kubernetes_version = "1.')
    assert "`min_count` and `max_count`" in steps["TPU461"]


POOL_4X4 = (
    "gcloud container node-pools create p --cluster x --zone us-east5-b --machine-type ct6e-standard-4t "
    "--tpu-topology 4x4 --num-nodes 4\n"
)


@pytest.mark.parametrize(
    ("pool", "its_job", "job", "is_compared"),
    [
        ("infra/pool.sh", "", "k8s/job.yaml", True),
        ("infra/pool.sh", "k8s/other.yaml", "k8s/job.yaml", True),
        ("pool.sh", "other.yaml", "k8s/job.yaml", True),
        ("a/pool.sh", "a/other.yaml", "a/k8s/job.yaml", True),
        ("a/pool.sh", "a/other.yaml", "b/job.yaml", False),
        ("a/infra/pool.sh", "a/k8s/other.yaml", "b/job.yaml", False),
    ],
)
def test_a_workload_is_not_compared_with_the_node_pools_of_another_project(
    pool: str, its_job: str, job: str, is_compared: bool, tmp_path: pathlib.Path
) -> None:
    texts = {pool: POOL_4X4, its_job: tpu_pod(topology="4x4"), job: tpu_pod(topology="4x8")}
    for name, text in texts.items():
        if name:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
    found = json.loads(CliRunner().invoke(command, [str(tmp_path), "--format=json"]).stdout)["findings"]
    files = {pathlib.Path(each["file"]).relative_to(tmp_path).as_posix() for each in found if each["rule"] == "TPU790"}
    assert files == ({job} if is_compared else set())
