"""``gke-tpu check`` of objects and programs that describe node pools: every rule, in the spelling of the tool."""

import dataclasses
import json
import pathlib
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from support.foreign_files import POOL as MODULE_POOL
from support.foreign_files import (
    Made,
    answer,
    module_plan,
    pulumi_preview,
    pulumi_program,
    pulumi_state,
    terraform_configuration,
    terraform_json,
    terraform_plan,
    terraform_state,
)
from support.objects_of_tools import config_connector, crossplane_lists, crossplane_mappings, namespaced_crossplane
from support.raw_pools import CLUSTERS, HOSTS, REGIONAL, SLICE, WRONG, Properties, changed

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.check.resource_check import check_resource_files
from pulumi_gke_tpu.features.check.resource_files import sorted_files

Write = Callable[[Iterable[Made]], bytes]
CATALOG = read_catalog()
WRITERS = (
    config_connector,
    crossplane_lists,
    crossplane_mappings,
    namespaced_crossplane,
    pulumi_preview,
    pulumi_program,
    terraform_configuration,
    terraform_json,
)
CANNOT_SAY = {config_connector: {"TPU504", "TPU506"}}
"""Rules about properties that no object of a tool has."""
CORPUS = pathlib.Path(__file__).parent / "data" / "sources"


def found_in(name: str, content: bytes) -> tuple[Finding, ...]:
    given = sorted_files([ManifestFile(name, content)], CATALOG)
    assert given.found
    return check_resource_files(given, None, None, CATALOG, today=None, mode=None).findings


def ids(findings: Iterable[Finding]) -> set[str]:
    return {finding.rule for finding in findings}


def named(path: pathlib.Path) -> str:
    return str(path.relative_to(CORPUS))


def written(finding: Finding) -> str:
    """The property that the message names, after the address of the resource."""
    return finding.message.removeprefix(f"{finding.path[0]}: ").partition(": ")[0]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("properties", [SLICE, HOSTS], ids=["slice", "hosts"])
def test_right_pools_break_nothing(write: Write, properties: Properties) -> None:
    assert found_in("pools.yaml", write([(NODE_POOL, "main", properties)])) == ()


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("id", sorted(WRONG))
def test_a_wrong_pool_breaks_exactly_this_rule(write: Write, id: str) -> None:
    findings = found_in("pools.yaml", write([(NODE_POOL, "main", changed(*WRONG[id]))]))
    assert ids(findings) == ({id} if id not in CANNOT_SAY.get(write, ()) else set())


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("id", sorted(CLUSTERS))
def test_a_wrong_cluster_breaks_exactly_this_rule(write: Write, id: str) -> None:
    assert found_in("cluster.yaml", write([(CLUSTER, "train", REGIONAL)])) == ()
    assert ids(found_in("cluster.yaml", write([(CLUSTER, "train", {**REGIONAL, **CLUSTERS[id]})]))) == {id}


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*/faulty/*")), ids=named)
def test_a_fault_is_found_where_it_is(path: pathlib.Path) -> None:
    content = path.read_bytes()
    lines = content.decode().splitlines()
    wanted = [line.split()[1:] for line in lines if line.startswith(("# TPU", "// TPU"))]
    findings = found_in(path.name, content)
    assert sorted([each.rule, written(each)] for each in findings) == sorted(wanted)
    for each in findings:
        assert each.position is not None
        assert each.position.file == path.name
        *_, above, last = "", *written(each).split(".")
        line = lines[each.position.line - 1]
        assert last == "version" or last in line or above in line or line.strip(' -"') in each.message


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*/right/*")), ids=named)
def test_a_right_file_has_no_finding(gke_tpu: Any, path: pathlib.Path) -> None:
    result = gke_tpu("check", path, "--strict")
    assert result.code == 0
    assert "no findings" in result.out


POOL = """\
apiVersion: container.cnrm.cloud.google.com/v1beta1
kind: ContainerNodePool
metadata: {name: tpu}
spec:
  location: us-east5
  nodeLocations: [us-east5-b]
  clusterRef: {name: train}
  nodeCount: 4
  placementPolicy: {type: COMPACT, tpuTopology: TOPOLOGY}
  nodeConfig: {machineType: ct6e-standard-4t, diskType: hyperdisk-balanced}
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  completions: 4
  parallelism: 4
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: SELECTED
      containers:
        - name: jax
          image: trainer:1
          resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
"""


@pytest.mark.parametrize("files", [1, 2])
def test_workloads_beside_node_pools_are_checked_too(files: int) -> None:
    """A workload and the node pool that it needs, in one file or in two."""

    def found(topology: str, selected: str) -> set[str]:
        pool, job = POOL.replace("TOPOLOGY", topology), JOB.replace("SELECTED", selected)
        texts = [f"{pool}---\n{job}"] if files == 1 else [pool, job]
        given = sorted_files(
            [ManifestFile(f"{number}.yaml", text.encode()) for number, text in enumerate(texts)], CATALOG
        )
        findings = check_resource_files(given, None, None, CATALOG, today=None, mode=None).findings
        return ids(each for each in findings if each.severity is Severity.ERROR)

    assert found("4x4", "4x4") == set()
    assert "TPU112" in found("4x3", "4x4")
    assert found("4x4", "3x3")
    assert found("4x4", "8x8")


def test_a_patch_of_a_kustomization_describes_nothing() -> None:
    patch = "apiVersion: container.cnrm.cloud.google.com/v1beta1\nkind: ContainerNodePool\nmetadata: {name: tpu}\n"
    patch += "spec: {nodeConfig: {machineType: ct6e-standard-2t}}\n"
    kustomization = "resources: [pool.yaml]\npatches: [{path: patch.yaml}]\n"
    texts = {
        "base/kustomization.yaml": kustomization,
        "base/patch.yaml": patch,
        "base/pool.yaml": POOL.replace("TOPOLOGY", "4x4"),
    }
    given = sorted_files([ManifestFile(name, text.encode()) for name, text in texts.items()], CATALOG)
    assert [each.origin.file for each in given.found] == ["base/pool.yaml"]


@pytest.mark.parametrize("wrong", ["dev", "prod"])
def test_the_pools_of_each_environment_are_checked(wrong: str) -> None:
    """Two folders have a node pool with the same name, cluster and location."""
    files = [
        ManifestFile(f"{folder}/pool.yaml", POOL.replace("TOPOLOGY", "4x3" if folder == wrong else "4x4").encode())
        for folder in ("dev", "prod")
    ]
    given = sorted_files(files, CATALOG)
    (finding,) = check_resource_files(given, None, None, CATALOG, today=None, mode=None).findings
    assert finding.rule == "TPU112"
    assert finding.position is not None
    assert finding.position.file == f"{wrong}/pool.yaml"


@pytest.mark.parametrize("folders", [("dev", "prod"), ("dev", "dev")])
def test_only_node_pools_of_one_environment_need_different_names(folders: tuple[str, str]) -> None:
    pool = terraform_configuration([(NODE_POOL, "main", {**HOSTS, "cluster": "train"})])
    texts = [pool, pool.replace(b'"main"', b'"other"')]
    files = [
        ManifestFile(f"{folder}/{number}.tf", text)
        for number, (folder, text) in enumerate(zip(folders, texts, strict=True))
    ]
    given = sorted_files(files, CATALOG)
    findings = check_resource_files(given, None, None, CATALOG, today=None, mode=None).findings
    assert ids(findings) == ({"TPU293"} if len({*folders}) == 1 else set())


TWO_FILES = {
    "terraform": (
        "cluster.tf",
        'resource "google_container_cluster" "a" {\n  name = "train"\n  location = "us-central1"\n}\n',
        "pools.tf",
        'resource "google_container_node_pool" "b" {\n  cluster = google_container_cluster.a.id\n'
        '  node_locations = ["us-east5-b"]\n  node_count = 1\n'
        '  node_config {\n    machine_type = "ct6e-standard-4t"\n    disk_type = "hyperdisk-balanced"\n  }\n}\n',
    ),
    "config connector": (
        "cluster.yaml",
        "apiVersion: container.cnrm.cloud.google.com/v1beta1\nkind: ContainerCluster\nmetadata: {name: train}\n"
        "spec: {location: us-central1}\n",
        "pool.yaml",
        POOL.replace("TOPOLOGY", "4x4").replace("  location: us-east5\n", ""),
    ),
}


@pytest.mark.parametrize("name", TWO_FILES)
def test_a_node_pool_is_compared_with_its_cluster_in_another_file(name: str) -> None:
    first, cluster, second, pool = TWO_FILES[name]

    def found(location: str) -> set[str]:
        texts = {first: cluster.replace("us-central1", location), second: pool}
        given = sorted_files([ManifestFile(f"infra/{each}", text.encode()) for each, text in texts.items()], CATALOG)
        return ids(check_resource_files(given, None, None, CATALOG, today=None, mode=None).findings)

    assert found("us-central1") == {"TPU205"}
    assert found("us-east5") == set()


ELSEWHERE = {
    "name": ({"cluster": "train"}, {}, Severity.WARNING),
    "another region": ({"cluster": "train", "location": "europe-west4"}, {}, Severity.WARNING),
    "zone": ({"cluster": "train"}, {"location": "us-east5-b"}, Severity.WARNING),
    "same": ({"cluster": "train"}, {"location": "us-east5"}, None),
    "full name": ({}, {}, None),
    "another project": ({"cluster": "train", "project": "acme-ml"}, {"project": "acme-prod"}, None),
    "another name": ({"cluster": "other"}, {}, None),
}


@pytest.mark.parametrize("write", [terraform_plan, terraform_configuration, terraform_json, pulumi_preview])
@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_node_pool_has_the_location_of_its_cluster(write: Write, name: str) -> None:
    pool, cluster, severity = ELSEWHERE[name]
    made = [
        (CLUSTER, "train", {**REGIONAL, "location": "us-central1", **cluster}),
        (NODE_POOL, "main", {**SLICE, **pool}),
    ]
    found = [each.severity for each in found_in("fleet.json", write(made)) if each.rule == "TPU237"]
    assert found == ([severity] if severity else [])


@pytest.mark.parametrize(("cluster", "severity"), [({"cluster": "main"}, Severity.ERROR), ({}, Severity.WARNING)])
def test_a_reference_shows_which_cluster_it_is(cluster: Properties, severity: Severity) -> None:
    """The ID of a cluster, which is not known before the cluster exists, has the location that the provider takes."""
    for location, expected in (("us-east5", []), ("us-central1", [severity]), ("us-east5-b", [severity])):
        plan = module_plan({**MODULE_POOL, **cluster, "location": location})
        assert [each.severity for each in found_in("plan.json", plan) if each.rule == "TPU237"] == expected


@pytest.mark.parametrize("write", [terraform_state, answer, pulumi_state])
def test_what_exists_has_its_cluster(write: Write) -> None:
    """A cluster of the same name in another location is another one."""
    made = [(CLUSTER, "train", {**REGIONAL, "location": "us-central1"}), (NODE_POOL, "main", SLICE)]
    assert "TPU237" not in ids(found_in("fleet.json", write(made)))


@pytest.mark.parametrize("pools", [200, 400])
def test_many_objects_are_read_once(pools: int) -> None:
    text = "---\n".join(POOL.replace("name: tpu", f"name: tpu-{number}") for number in range(pools))
    given = sorted_files([ManifestFile("pools.yaml", text.encode())], CATALOG)
    assert len(given.found) == pools
    assert len({dataclasses.astuple(each.origin.locate(("spec",)))[1] for each in given.found}) == pools


ANSWER = {
    "pool": ("config_connector/right/reserved.yaml", (0, 1, 0), set()),
    "mixed": ("cluster_api/right/single_hosts.yaml", (1, 1, 2), {"GCPManagedMachinePool/tpu"}),
    "pipeline": (
        "crossplane/right/composition_with_templates.yaml",
        (0, 1, 1),
        set(),
    ),
    "program": ("pulumi/right/slice.yaml", (1, 1, 0), set()),
}


@pytest.mark.parametrize("name", ANSWER)
def test_the_answer_says_what_was_read(gke_tpu: Any, name: str) -> None:
    path, counts, parts = ANSWER[name]
    read = json.loads(gke_tpu("check", CORPUS / path, "--format", "json").out)["read"]
    assert (read["clusters"], read["node_pools"], read["objects"]) == counts
    assert {each["part"] for each in read["not_read"]} == parts
    assert all(each["line"] and each["reason"] for each in read["not_read"])


UNREAD = {
    "values.yaml": "replicaCount: 2\n",
    "Pulumi.yaml": "name: fleet\nruntime: python\n",
    "chart.yaml": "{{- if .Values.tpu }}\napiVersion: v1\n{{- end }}\n",
    "empty.yaml": "",
}


@pytest.mark.parametrize("name", UNREAD)
def test_a_named_file_of_which_nothing_is_read_is_a_warning(gke_tpu: Any, name: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / name).write_text(UNREAD[name])
    (tmp_path / "pool.yaml").write_text(POOL.replace("TOPOLOGY", "4x4"))
    folder, named, alone = (
        gke_tpu("check", *files, "--strict")
        for files in ([tmp_path], [tmp_path / "pool.yaml", tmp_path / name], [tmp_path / name])
    )
    assert "not read: " in folder.out
    assert folder.code == (name == "chart.yaml")  # a template is a warning everywhere
    assert "read: 1 node pool" in folder.out
    for run in (named, alone):
        assert run.code == 1
        assert "1 warning" in run.out
        assert gke_tpu("check", tmp_path / name).code == 0
    assert "read: nothing" in alone.out


def test_a_folder_of_which_nothing_is_read_is_a_warning(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "values.yaml").write_text("replicaCount: 2\n")
    run = gke_tpu("check", tmp_path, "--strict")
    assert (run.code, "read: nothing" in run.out) == (1, True)


def test_a_report_without_findings_says_what_was_read(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "pool.yaml").write_text(POOL.replace("TOPOLOGY", "4x4"))
    assert "<system-out>read: 1 node pool</system-out>" in gke_tpu("check", tmp_path, "--format", "junit").out


@pytest.mark.parametrize("op", ["same", "update", "replace", "delete"])
def test_a_preview_shows_what_a_program_wants(op: str) -> None:
    """What it deletes is not checked."""
    wrong = changed(SLICE, {"nodeConfig.bootDisk.diskType": "pd-ssd"})
    document = json.loads(pulumi_preview([(NODE_POOL, "main", wrong)]))
    step = document["steps"][0]
    step["op"] = op
    step["oldState"] = {**step["newState"], "inputs": SLICE, "outputs": SLICE}
    if op == "delete":
        step["oldState"] = step.pop("newState")
    assert ids(found_in("preview.json", json.dumps(document).encode())) == ({"TPU501"} if op != "delete" else set())


LOOP = """
resource "google_container_node_pool" "pool" {
  for_each       = { train = 4, serve = 3 }
  name           = each.key
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = COUNT
  node_config { machine_type = "ct6e-standard-4t" }
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x4"
  }
}
"""


@pytest.mark.parametrize(
    ("count", "step"),
    [
        ("each.value", "Change what `each.value` is for this instance: node_count = 4"),
        ("3", "node_count = 4"),
    ],
)
def test_a_fix_changes_no_other_instance_of_a_block(count: str, step: str) -> None:
    found = found_in("main.tf", LOOP.replace("COUNT", count).encode())
    assert {finding.fix or finding.advice for finding in found if finding.rule == "TPU462"} == {step}
