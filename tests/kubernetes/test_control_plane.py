"""The control plane itself: real, strict, shared by the processes of a run, and ended with the last of them."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

import pytest
from support.control_plane.binaries import HERE, MODULE
from support.control_plane.client import Client, Object
from support.control_plane.shared import shared_control_plane
from support.control_plane.testbed import Testbed
from support.tool_installation import UnavailableError, module_version

TESTS = pathlib.Path(__file__).parents[1]
USER = """
import pathlib, sys
from support.control_plane.shared import shared_control_plane
with shared_control_plane(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])) as address:
    print(address.port, flush=True)
    sys.stdin.read()
"""


def job(name: str, **pod: object) -> Object:
    container = {"name": "main", "image": "image", "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container], **pod}}
    spec = {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec}


def test_the_server_has_the_version_of_go_mod(client: Client) -> None:
    assert client.request("GET", "/version")["gitVersion"] == f"v{module_version(HERE, MODULE)}"


def test_a_dry_run_checks_an_object_and_creates_nothing(bed: Testbed) -> None:
    bed.dry_run(job("train"))
    assert bed.client.list("batch/v1", "Job", bed.namespace) == []


def test_a_dry_run_accepts_an_object_without_namespace_that_another_test_has(bed: Testbed, scheduling: Testbed) -> None:
    metadata = {"name": "of-two-tests"}
    item = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": metadata, "value": 10}
    scheduling.create(item)
    bed.dry_run(item)
    assert bed.client.create(item, bed.namespace, dry_run=True)["metadata"]["name"] == "of-two-tests"
    assert "maximum allowed value" in bed.refusal({**item, "value": 1_000_000_001})


def test_a_dry_run_refuses_an_object_with_namespace_that_exists(bed: Testbed) -> None:
    item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}}
    bed.create(item)
    assert 'configmaps "one" already exists' in bed.refusal(item)


def test_only_a_test_that_runs_alone_creates_objects_without_namespace(bed: Testbed) -> None:
    item = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "top"}, "value": 10}
    with pytest.raises(AssertionError, match=r"PriorityClass top: .*`scheduling`"):
        bed.create(item)


def test_a_dry_run_refuses_unknown_fields(bed: Testbed) -> None:
    assert 'unknown field "spec.template.spec.hostNetwrok"' in bed.refusal(job("train", hostNetwrok=True))


def test_a_kind_that_the_server_does_not_have_is_refused(bed: Testbed) -> None:
    assert bed.refusal({**job("train"), "kind": "Jobs"}) == "the server has no kind Jobs in batch/v1"
    assert "the server could not find" in bed.refusal({**job("train"), "apiVersion": "batch/v9"})


def test_the_real_controller_creates_the_pods_of_a_job_and_the_real_scheduler_refuses_them(scheduling: Testbed) -> None:
    scheduling.create(job("train"))
    assert [found.reason for found in scheduling.placements(2)] == ["no nodes available to schedule pods"] * 2


def test_programs_that_do_not_start_are_reported_with_their_last_words(tmp_path: pathlib.Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "etcd").write_text("#!/bin/sh\necho no space left >&2\nexit 3\n")
    (programs / "etcd").chmod(0o755)
    (programs / "kube-apiserver").symlink_to("/bin/cat")
    with pytest.raises(UnavailableError, match="ended with status"), shared_control_plane(programs, tmp_path / "run"):
        pass


def test_processes_share_a_control_plane_and_the_death_of_the_last_ends_it(
    programs: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    def use() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", USER, str(programs), str(tmp_path / "run")],
            env={**os.environ, "PYTHONPATH": str(TESTS)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def port(user: subprocess.Popen[str]) -> int:
        assert user.stdout is not None
        return int(user.stdout.readline())

    with use() as first, use() as second:
        shared = port(first)
        assert port(second) == shared
        first.send_signal(signal.SIGKILL)
        first.wait()
        assert answers(shared)
        second.send_signal(signal.SIGKILL)
    end = time.monotonic() + 60
    while answers(shared) and time.monotonic() < end:
        time.sleep(0.1)
    assert not answers(shared)
    while list((tmp_path / "run").glob("*/")) and time.monotonic() < end:
        time.sleep(0.1)
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["start", "supervisor.log", "users"]


def answers(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0
