"""The servers of Pathways: their images, flags and sidecar, elastic slices, and a head without a program."""

from typing import Any

import pytest
from support.workload_plans import HEADS, IMAGE, TRAIN, checked, objects_of, workload_plan

from pulumi_gke_tpu.features.workloads.manifests import manifests_of

GOOGLE = "us-docker.pkg.dev/cloud-tpu-v2-images/pathways"
OURS = "us-docker.pkg.dev/acme-ml/pathways"
MODES = ("standard", "autopilot")
SERVERS = ("proxy", "resource-manager", "worker")
HEADLESS = {"tag": "jax-0.9.2", "headless": True}


def jobset_of(pathways: dict[str, Any] | None, mode: str = "standard", **keys: Any) -> dict[str, Any]:
    run = {"slices": "train", "kind": "pathways", "count": 2, **({"pathways": pathways} if pathways else {}), **keys}
    pools = {"cpu_pools": {"heads": HEADS}} if mode == "standard" else {}
    plan = workload_plan({"train": {**TRAIN, "count": 2}}, {"w": run}, mode=mode, **pools)
    (jobset,) = objects_of(plan, "workloads")
    return dict(jobset)


def headless(mode: str = "standard", **pathways: Any) -> dict[str, Any]:
    """A JobSet without a program; helpers of plans always add an image."""
    run = {"slices": "train", "kind": "pathways", "count": 2, "pathways": {**HEADLESS, **pathways}}
    pools = {"cpu_pools": {"heads": HEADS}} if mode == "standard" else {}
    plan = workload_plan({"train": {**TRAIN, "count": 2}}, {"w": run}, mode=mode, **pools)
    del plan["clusters"]["c"]["kubernetes"]["workloads"]["w"]["image"]
    result = checked(plan)
    assert result.findings == ()
    (cluster,) = manifests_of(result)
    (jobset,) = (item.object for item in cluster.manifests if item.concern == "workloads")
    return dict(jobset)


def job_of(jobset: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (item for item in jobset["spec"]["replicatedJobs"] if item["name"] == name)
    return dict(found["template"]["spec"])


def containers_of(jobset: dict[str, Any]) -> dict[str, Any]:
    """All containers of a JobSet by name; the worker is the container with the chips."""
    pods = [job_of(jobset, name)["template"]["spec"] for name in ("head", "worker")]
    every = [item for pod in pods for key in ("initContainers", "containers") for item in pod.get(key, ())]
    return {item["name"].replace("tpu", "worker"): item for item in every}


def variables_of(container: dict[str, Any]) -> dict[str, Any]:
    names = [item["name"] for item in container["env"]]
    assert len(names) == len(set(names))
    return {item["name"]: item.get("value") for item in container["env"]}


@pytest.mark.parametrize(
    ("pathways", "proxy", "manager", "worker"),
    [
        (None, f"{GOOGLE}/proxy_server:latest", f"{GOOGLE}/server:latest", f"{GOOGLE}/server:latest"),
        (
            {"tag": "jax-0.9.2"},
            f"{GOOGLE}/proxy_server:jax-0.9.2",
            f"{GOOGLE}/server:jax-0.9.2",
            f"{GOOGLE}/server:jax-0.9.2",
        ),
        (
            {"proxy": {"image": f"{OURS}/proxy:1"}, "resource_manager": {"image": f"{OURS}/server:1"}},
            f"{OURS}/proxy:1",
            f"{OURS}/server:1",
            f"{OURS}/server:1",
        ),
        (
            {"tag": "jax-0.9.2", "worker": {"image": f"{OURS}/server:1"}},
            f"{GOOGLE}/proxy_server:jax-0.9.2",
            f"{GOOGLE}/server:jax-0.9.2",
            f"{OURS}/server:1",
        ),
    ],
    ids=["of Google", "pinned", "mirrored", "own worker"],
)
def test_images_of_the_servers(pathways: dict[str, Any] | None, proxy: str, manager: str, worker: str) -> None:
    containers = containers_of(jobset_of(pathways))
    assert [containers[name]["image"] for name in SERVERS] == [proxy, manager, worker]
    assert containers["program"]["image"] == IMAGE


@pytest.mark.parametrize("server", SERVERS)
def test_flags_and_variables_of_one_server_do_not_reach_the_others(server: str) -> None:
    plan = {server.replace("-", "_"): {"args": ["--own=1"], "env": {"OWN": "1", "XCLOUD_ENVIRONMENT": "other"}}}
    plain, containers = containers_of(jobset_of(None)), containers_of(jobset_of(plan))
    own = containers.pop(server)
    assert own["args"] == [*plain[server]["args"], "--own=1"]
    assert variables_of(own) == {**variables_of(plain[server]), "OWN": "1", "XCLOUD_ENVIRONMENT": "other"}
    assert containers == {name: item for name, item in plain.items() if name != server}


@pytest.mark.parametrize("mode", MODES)
def test_the_workers_of_elastic_slices_restart_without_the_head(mode: str) -> None:
    """The Job of a slice creates its Pods again before it fails; only its failure concerns the JobSet."""
    plain = jobset_of(None, mode)
    jobset = jobset_of({"elastic": {"slices": 1, "max_restarts": 3}}, mode)
    assert "--num_elastic_slices=1" in containers_of(jobset)["proxy"]["args"]
    assert job_of(jobset, "worker")["backoffLimit"] == 4 * 3  # hosts of a slice, times the restarts
    assert job_of(plain, "worker")["backoffLimit"] == 4 * 4
    assert "podFailurePolicy" not in job_of(jobset, "worker")
    assert job_of(jobset, "head")["backoffLimit"] == 0
    assert jobset["spec"]["failurePolicy"] == plain["spec"]["failurePolicy"]


@pytest.mark.parametrize("mode", MODES)
def test_a_head_without_a_program_has_the_servers_only(mode: str) -> None:
    jobset = headless(mode)
    pod = job_of(jobset, "head")["template"]["spec"]
    assert [item["name"] for item in pod["containers"]] == ["proxy", "resource-manager"]
    assert "initContainers" not in pod
    assert not any("restartPolicy" in item for item in pod["containers"])  # Kubernetes has no such field there
    assert "successPolicy" not in jobset["spec"]
    with_program = jobset_of({"tag": "jax-0.9.2"}, mode)
    assert job_of(jobset, "worker") == job_of(with_program, "worker")
    beside = [{k: v for k, v in item.items() if k != "restartPolicy"} for item in _servers(with_program)]
    assert pod["containers"] == beside
    assert pod.get("nodeSelector") == job_of(with_program, "head")["template"]["spec"].get("nodeSelector")


def _servers(jobset: dict[str, Any]) -> list[dict[str, Any]]:
    return list(job_of(jobset, "head")["template"]["spec"]["initContainers"])


def test_a_head_without_a_program_mounts_no_volumes() -> None:
    volumes = {"data": {"mount": "/data", "bucket": {"name": "acme-data"}}}
    run = {"slices": "train", "kind": "pathways", "count": 2, "pathways": HEADLESS, "volumes": volumes}
    plan = workload_plan({"train": {**TRAIN, "count": 2}}, {"w": run}, cpu_pools={"heads": HEADS}, addons=["gcs_fuse"])
    (jobset,) = objects_of(plan, "workloads")
    head, worker = (job_of(jobset, name)["template"] for name in ("head", "worker"))
    assert "volumes" not in head["spec"]
    assert "metadata" not in head
    assert [item["name"] for item in worker["spec"]["volumes"]] == ["data"]


@pytest.mark.parametrize("mode", MODES)
def test_worker_and_python_sidecar_share_memory_and_the_volumes(mode: str) -> None:
    volumes = {"data": {"mount": "/data", "empty_dir": True}}
    sidecar = {"image": f"{OURS}/sidecar:1", "args": ["serve"], "env": {"OWN": "1"}}
    jobset = jobset_of({"python_sidecar": sidecar}, mode, volumes=volumes)
    pod, containers = job_of(jobset, "worker")["template"]["spec"], containers_of(jobset)
    worker, python = containers["worker"], containers["python-sidecar"]
    assert python["restartPolicy"] == "Always"
    assert (python["image"], python["args"]) == (f"{OURS}/sidecar:1", ["serve"])
    assert {"containerPort": 50051} in python["ports"]
    assert variables_of(python)["GRPC_SERVER_ADDRESS"] == "0.0.0.0:50051"
    assert variables_of(python)["OWN"] == "1"
    assert worker["volumeMounts"] == python["volumeMounts"]
    (shared,) = (item for item in pod["volumes"] if item.get("emptyDir") == {"medium": "Memory"})
    (folder,) = (item["mountPath"] for item in python["volumeMounts"] if item["name"] == shared["name"])
    assert f"--cloud_pathways_sidecar_shm_directory={folder}" in worker["args"]
    assert {variables_of(item)["CLOUD_PATHWAYS_SIDECAR_SHM_DIRECTORY"] for item in (worker, python)} == {folder}
    assert "--sidecar_name=external" in containers["proxy"]["args"]
    assert "hostPath" not in str(jobset)  # so that it also runs on Autopilot
    assert python.get("resources") is None  # the worker alone requests the chips


def test_without_a_sidecar_nothing_is_shared() -> None:
    assert "Memory" not in str(jobset_of({"tag": "jax-0.9.2"})["spec"]["replicatedJobs"][1]["template"]["spec"])
