"""docs/workloads.md states the facts of the catalog."""

import pathlib
import re

from pulumi_gke_tpu.core.catalog import read_catalog

PAGE = (pathlib.Path(__file__).parents[3] / "docs" / "workloads.md").read_text(encoding="utf-8")
FACTS = read_catalog().kubernetes
ROWS = {
    match[1]: match[2]
    for match in re.finditer(r"^\| (JobSet|LeaderWorkerSet|KubeRay|Kueue) \|.*\| ([^|]+) \|$", PAGE, re.M)
}


def test_the_versions_of_operators_are_those_of_the_catalog() -> None:
    releases = {item.title: item.releases for item in FACTS.controllers.values()}
    assert {title: " to ".join(dict.fromkeys((releases[title][0], releases[title][-1]))) for title in ROWS} == ROWS


def test_kueue_is_the_last_operator_to_install() -> None:
    assert list(ROWS) == ["JobSet", "LeaderWorkerSet", "KubeRay", "Kueue"]
    commands = [line for line in PAGE.splitlines() if line.startswith("kubectl apply") and "releases" in line]
    assert "/kueue/" in commands[-1]
    assert any("/jobset/" in line for line in commands[:-1])


def test_the_commands_install_supported_releases() -> None:
    installed = dict(re.findall(r"kubernetes-sigs/(\w+)/releases/download/v(\d+\.\d+)\.", PAGE))
    keys = {"jobset": "jobset", "lws": "leaderworkerset", "kueue": "kueue"}
    assert installed.keys() == keys.keys()
    for name, release in installed.items():
        assert release == FACTS.controllers[keys[name]].releases[-1]


def test_the_share_of_the_host_is_that_of_the_catalog() -> None:
    assert f"it requests {FACTS.workloads.requests.host_percent}% of the vCPUs and memory of the host" in PAGE
