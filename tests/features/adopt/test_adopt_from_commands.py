"""``gke-tpu adopt --from``: the files, the table, and what is refused."""

import json
import pathlib
from typing import Any

import pytest

SCRIPT = (
    "xpk cluster create --cluster c --project acme-ml --zone us-east5-a --tpu-type v5p-8 --on-demand --reservaton=x\n"
    "xpk workload create --cluster c --workload w --tpu-type v5p-8 --docker-image i --command 'python3 train.py'\n"
)


@pytest.fixture
def script(tmp_path: pathlib.Path) -> pathlib.Path:
    """A script with a cluster and a workload."""
    path = tmp_path / "script.sh"
    path.write_text(SCRIPT)
    return path


def test_a_valid_plan_and_a_program_are_written(gke_tpu: Any, script: pathlib.Path, tmp_path: pathlib.Path) -> None:
    done = gke_tpu("adopt", "--from", "xpk", script, "-o", tmp_path / "out")
    assert done.code == 0, done.out + done.err
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"plan.yaml", "plan.schema.json", "__main__.py", "Pulumi.yaml", "requirements.txt"}
    assert gke_tpu("validate", tmp_path / "out").code == 0


def test_the_table_is_also_json(gke_tpu: Any, script: pathlib.Path, tmp_path: pathlib.Path) -> None:
    done = gke_tpu("adopt", "--from", "xpk", script, "-o", tmp_path / "out", "--format", "json")
    options = {item["option"]: item for item in json.loads(done.out)["options"] if item.get("line") == 1}
    assert options["--tpu-type"]["key"] == "clusters.c.slices.np.{tpu,topology}"
    assert options["--reservaton"]["became"] == "unknown"
    assert "did you mean --reservation?" in options["--reservaton"]["reason"]


def test_files_are_not_overwritten(gke_tpu: Any, script: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for project, expected in (("acme-ml", 0), ("acme-other", 2)):
        script.write_text(SCRIPT.replace("acme-ml", project))
        assert gke_tpu("adopt", "--from", "xpk", script, "-o", tmp_path / "out").code == expected
    assert gke_tpu("adopt", "--from", "xpk", script, "-o", tmp_path / "out", "--force").code == 0


def test_a_plan_with_errors_is_written_and_fails(gke_tpu: Any, script: pathlib.Path, tmp_path: pathlib.Path) -> None:
    script.write_text(SCRIPT.replace("us-east5-a", "us-west4-a"))
    done = gke_tpu("adopt", "--from", "xpk", script, "-o", tmp_path / "out")
    assert done.code == 1
    assert "TPU207" in (done.out + done.err)
    assert (tmp_path / "out" / "plan.yaml").exists()


def test_an_unknown_value_is_an_error_with_its_place(
    gke_tpu: Any, script: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    script.write_text(SCRIPT.replace("v5p-8 --docker", "$(cat type) --docker"))
    done = gke_tpu("adopt", "--from", "xpk", script, "-o", tmp_path / "out")
    assert (done.code, done.out) == (2, "")
    assert "script.sh:2:" in done.err.replace("\n", "")
    assert done.err.endswith("Nothing was written.\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "options",
    [("--from", "xpk"), ("--from", "xpk", "-o", "x", "--check", "y"), ("-o", "x", "--project", "p")],
)
def test_options_that_do_not_fit_are_refused(gke_tpu: Any, script: pathlib.Path, options: tuple[str, ...]) -> None:
    assert gke_tpu("adopt", script, *options).code == 2


def test_a_blueprint_becomes_a_plan(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    blueprint = tmp_path / "b.yaml"
    modules = [
        {"id": "gke", "source": "modules/scheduler/gke-cluster", "settings": {"release_channel": "REGULAR"}},
        {
            "id": "pool",
            "source": "modules/compute/gke-node-pool",
            "use": ["gke"],
            "settings": {
                "machine_type": "ct6e-standard-4t",
                "placement_policy": {"tpu_topology": "4x4"},
                "spot": True,
            },
        },
    ]
    variables = {"project_id": "acme-ml", "deployment_name": "tpus", "region": "us-east5", "zone": "us-east5-b"}
    blueprint.write_text(json.dumps({"vars": variables, "deployment_groups": [{"modules": modules}]}))
    done = gke_tpu("adopt", "--from", "gcluster", blueprint, "-o", tmp_path / "out")
    assert done.code == 0, done.out + done.err
