"""CheckpointConfigurations and the Pods that mount the folder in memory, in the real server."""

import pathlib
from typing import Any

import pytest
from support.control_plane.client import Client
from support.control_plane.crds import CHECKPOINTING, find_crd, install_crds
from support.control_plane.expansion import expand, sample_pods
from support.control_plane.shared import locked
from support.control_plane.testbed import Testbed
from support.tool_installation import UnavailableError
from support.volumes import objects_of, volume_plan

pytestmark = pytest.mark.usefixtures("crds")


@pytest.fixture
def _configurations(client: Client, run_folder: pathlib.Path) -> None:
    """The kind of GKE's add-on. Its definition is public, but not among those of the operators."""
    try:
        definition = find_crd(CHECKPOINTING)
    except UnavailableError as missing:
        pytest.skip(str(missing))
    with locked(run_folder / "crds"):
        names = [item["metadata"]["name"] for item in client.list("apiextensions.k8s.io/v1", definition["kind"], "")]
        if definition["metadata"]["name"] not in names:
            install_crds(client, [definition])


def rendered() -> list[dict[str, Any]]:
    volumes = {"recent": {"mount": "/recent", "checkpoints": True}}
    checkpoints = {"bucket": "acme-checkpoints", "memory": "60Gi", "project_number": 1}
    plan = volume_plan({"w": ("jobset", volumes)}, kubernetes={"checkpoints": checkpoints})
    plan["clusters"]["c"]["addons"] = ["gcs_fuse", "high_scale_checkpointing"]
    return objects_of(plan)


@pytest.mark.usefixtures("_configurations")
def test_the_server_accepts_the_configuration_with_all_of_its_fields(bed: Testbed) -> None:
    (item,) = (item for item in rendered() if item["kind"] == "CheckpointConfiguration")
    assert bed.refusal(item) == ""
    item["spec"]["mountOptions"] = ["implicit-dirs"]  # as XPK writes the options
    assert 'unknown field "spec.mountOptions"' in bed.refusal(item)


def test_the_server_accepts_the_pods_with_the_folder(bed: Testbed) -> None:
    (job_set,) = (item for item in rendered() if item["kind"] == "JobSet")
    core = list(expand(job_set, bed.namespace))
    pods = list(sample_pods(core))
    assert all("multitier-checkpoint.csi.storage.gke.io" in str(pod["spec"]["volumes"]) for pod in pods)
    assert pods
    assert [words for item in (job_set, *core, *pods) if (words := bed.refusal(item))] == []
