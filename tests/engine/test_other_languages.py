"""Programs in JavaScript in the real engine, through the plugin: the same clusters and slices, the same findings.

The programs are those of docs/other-languages.md.
"""

import importlib.metadata
import json
import os
import pathlib
import re
import subprocess

import pytest
from support.documents import ROOT, blocks
from support.engine import key_service
from support.engine.cli_environment import cli_environment
from support.engine.engine_cloud import Engine, executable
from support.engine.javascript_run import PAGE, PROGRAMS, JavaScript, plugin_on_path
from support.gcp_standin.knowledge import CLUSTER, POOL
from support.kubernetes_standin.provider import Provider
from support.kubernetes_standin.server import Objects
from support.npm_packages import NoNodeError, find_packages, required_packages
from support.provider_protocol.service import serving
from support.tool_installation import CACHE

from pulumi_gke_tpu.features.plugin.schema import SCHEMA_FILE

MANIFEST = PROGRAMS / "package.json"
SLICES = "gke-tpu:index:TpuSlices"
DOUBTFUL = 'controlPlane: { authorizedNetworks: { all: "0.0.0.0/0" } },'


def told() -> str:
    """The error that the page shows below the program with mistakes."""
    (text,) = (block.text for block in blocks(PAGE) if block.language == "text")
    return text


@pytest.fixture(scope="session")
def packages() -> pathlib.Path:
    return required_packages(MANIFEST, CACHE)


@pytest.fixture
def javascript(engine: Engine, packages: pathlib.Path, tmp_path: pathlib.Path) -> JavaScript:
    return JavaScript(engine.cli, packages, tmp_path, engine.port)


def test_an_autopilot_cluster(engine: Engine, javascript: JavaScript) -> None:
    done = javascript.up("autopilot")
    assert (done.error, done.ops()) == ("", {"create"})
    assert [name.rsplit("/", 1)[1] for name in engine.cloud.names(CLUSTER)] == ["dev"]
    assert done.outputs == {
        "kubeconfig": "gcloud container clusters get-credentials dev --location us-central1 --project my-project "
        "--dns-endpoint"
    }
    assert javascript.preview("autopilot").ops() == {"same"}


def test_the_workloads_of_a_plan(engine: Engine, javascript: JavaScript) -> None:
    objects = Objects()
    with serving(Provider(objects, importlib.metadata.version("pulumi-kubernetes"))) as port:
        javascript.attach("kubernetes", port)
        done = javascript.up("workloads")
        assert done.error == ""
        assert done.outputs == {
            "objects": [
                "Namespace/research",
                "ResourceFlavor/cpu",
                "ResourceFlavor/tpu-batch",
                "ClusterQueue/team",
                "LocalQueue/research/team",
                "JobSet/research/tune",
            ]
        }
        (jobset,) = (item for item in objects.stored.values() if item["kind"] == "JobSet")
        assert jobset["spec"]["failurePolicy"]["maxRestarts"] == 3
        assert jobset["spec"]["replicatedJobs"][0]["replicas"] == 2
        assert javascript.preview("workloads").ops() == {"same"}
        javascript.change(
            "workloads", 'new TpuWorkloads("train", plan,', 'new TpuWorkloads("train", { ...plan, cluster: "no" },'
        )
        assert "TPU023 unknown cluster `no` of the plan" in javascript.preview("workloads").error


def test_slices_in_a_cluster_that_is_known_only_later(engine: Engine, javascript: JavaScript) -> None:
    planned = javascript.preview("slices")
    assert (planned.error, planned.ops()) == ("", {"create"})
    done = javascript.up("slices")
    assert done.error == ""
    assert done.steps.keys() == planned.steps.keys()
    assert sorted(pool.rsplit("/", 1)[1] for pool in engine.cloud.names(POOL)) == [
        *("pretrain-0", "pretrain-1", "sweep", "system")
    ]
    assert done.outputs == {
        "chips": 32,
        "nodeSelector": {
            "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
            "cloud.google.com/gke-tpu-topology": "4x4",
        },
        "poolNames": ["pretrain-0", "pretrain-1"],
    }

    # Then an output inside of an argument, options, and something doubtful
    javascript.change("slices", 'team: "research"', "team: cluster.clusterName")
    javascript.change("slices", "});\n\nexport", '}, { protect: true, customTimeouts: { create: "3h" } });\n\nexport')
    javascript.change("slices", "{ create: {} },", f"{{ create: {{}} }},\n  {DOUBTFUL}")
    again = javascript.up("slices")
    assert (again.error, again.ops()) == ("", {"same", "update"})
    pool = f"{SLICES}${POOL} train/pretrain/pretrain-0"
    assert again.steps[pool] == "update"
    assert again.state[pool]["inputs"]["nodeConfig"]["labels"]["team"] == "train"
    assert "TPU271" in again.warnings
    component = again.state[f"{SLICES} train/pretrain"]
    assert (component["protect"], component["customTimeouts"]) == (True, {"create": 3 * 60 * 60})


def test_resources_of_components(engine: Engine, javascript: JavaScript) -> None:
    planned = javascript.preview("resources")
    assert (planned.error, planned.ops()) == ("", {"create"})
    done = javascript.up("resources")
    assert done.error == ""
    versions = [
        done.state[f"gke-tpu:index:StandardCluster${CLUSTER} train"]["outputs"]["masterVersion"],
        done.state[f"{SLICES}${POOL} train/pretrain/pretrain-0"]["outputs"]["version"],
    ]
    assert [done.outputs[name] for name in ("version", "nodeVersion")] == versions
    waits_for = {urn.split("::", 2)[2] for urn in done.state["gcp:projects/iAMMember:IAMMember viewer"]["dependencies"]}
    assert f"gke-tpu:index:StandardCluster${CLUSTER}::train" in waits_for
    assert f"{SLICES}${POOL}::train/pretrain/pretrain-0" in waits_for
    again = javascript.preview("resources")
    assert (again.error, again.ops()) == ("", {"same"})

    # Without the classes of the provider, a program gets the ID
    javascript.change("resources", 'import * as gcp from "@pulumi/gcp";', "")
    text = (javascript.folder / "resources.js").read_text(encoding="utf-8")
    (viewer,) = re.findall(r"^new gcp.*?^\);\n", text, re.MULTILINE | re.DOTALL)
    javascript.change("resources", viewer, "")
    javascript.change("resources", "(made) => made.masterVersion", "String")
    javascript.change("resources", "([pool]) => pool.version", "String")
    done = javascript.up("resources")
    cluster = "projects/my-project/locations/us-east5/clusters/train"
    assert done.error == ""
    assert done.outputs == {"version": cluster, "nodeVersion": f"{cluster}/nodePools/pretrain-0"}


def test_the_example_of_the_registry(javascript: JavaScript) -> None:
    """It creates the cluster of ``autopilot.js``."""
    shown = {block.language: block.text for block in blocks(ROOT / "docs" / "_index.md")}
    assert "cluster: " not in shown["typescript"], "no types, so it is also JavaScript"
    (javascript.folder / "registry.js").write_text(shown["typescript"].replace('"pulumi-gke-tpu"', '"./gke_tpu.js"'))
    planned = javascript.preview("registry")
    assert (planned.error, planned.steps) == ("", javascript.preview("autopilot").steps)
    assert javascript.up("registry").outputs.keys() == {"kubeconfig"}
    javascript.change("registry", '"v5e", topology: "2x2"', '"v6e", topology: "4x3"')
    assert javascript.preview("registry").error.expandtabs(4).startswith(shown["text"])


def test_a_program_in_yaml(engine: Engine, yaml_host: pathlib.Path, tmp_path: pathlib.Path) -> None:
    path = os.pathsep.join(map(str, (tmp_path, engine.cli.root / "bin", yaml_host, os.environ["PATH"])))
    plugin_on_path(tmp_path)
    environment = cli_environment(tmp_path, engine.port)
    (program,) = (block.text for block in blocks(PAGE) if block.file == "yaml/Pulumi.yaml")
    (of_registry,) = (block.text for block in blocks(ROOT / "docs" / "_index.md") if block.language == "yaml")
    (tmp_path / "Pulumi.yaml").write_text(program, encoding="utf-8")

    def pulumi(*words: str) -> subprocess.CompletedProcess[str]:
        variables = {**environment, "PATH": path, "HOME": environment["PULUMI_HOME"]}
        command = [engine.cli.root / "bin" / "pulumi", *words]
        return subprocess.run(command, cwd=tmp_path, env=variables, check=False, capture_output=True, text=True)

    pulumi("stack", "init", "dev", "--secrets-provider", key_service.URL)
    done = pulumi("up", "--yes", "--skip-preview")
    assert done.returncode == 0, done.stdout + done.stderr
    state = json.loads(pulumi("stack", "export").stdout)["deployment"]["resources"]
    by_name = {resource["urn"].split("::", 2)[2]: resource for resource in state}
    client = by_name["gcp:serviceaccount/account:Account::client"]
    endpoint = by_name[f"gke-tpu:index:StandardCluster${CLUSTER}::train"]["outputs"]["endpoint"]
    assert client["inputs"]["displayName"] == f"Client of {endpoint}"
    *before, last = [request.resource for request in engine.cloud.requests]
    assert (last, {"train/system", "train/notebook/notebook"} <= set(before)) == ("client", True)

    (tmp_path / "Pulumi.yaml").write_text(of_registry, encoding="utf-8")
    planned = pulumi("preview", "--json")
    assert planned.returncode == 0, planned.stdout
    made = {step["newState"]["type"] for step in json.loads(planned.stdout)["steps"] if step["op"] == "create"}
    assert {CLUSTER, "gke-tpu:index:AutopilotCluster"} <= made

    refused = program.replace('"${train}"', '"${train.resource}"').replace("client:", "other:")
    (tmp_path / "Pulumi.yaml").write_text(refused, encoding="utf-8")
    assert "resource option dependsOn value must be a list of resource, not an output" in pulumi("up", "--yes").stdout


def test_every_finding_comes_as_one_error(engine: Engine, javascript: JavaScript) -> None:
    planned = javascript.preview("mistakes")
    assert planned.error.expandtabs(4).startswith(told())
    assert planned.of_type(":StandardCluster") == []
    assert engine.cloud.requests == []
    assert "Traceback" not in planned.error + planned.printed


PROVIDER_OF_A_USER = """
import sys
from pulumi.provider import ConstructResult, Provider, main
from pulumi_gke_tpu import TpuSlices

class Acme(Provider):
    def construct(self, name, resource_type, inputs, options=None):
        cluster = {"cluster": "train", "project": "acme-ml", "location": "us-east5"}
        made = TpuSlices("train/pretrain", {**inputs, **cluster}, options)
        return ConstructResult(made.urn, {})

main(Acme("1.0.0"), sys.argv[1:])
"""
PROGRAM_WITH_IT = """
import * as pulumi from "@pulumi/pulumi";
const inputs = { tpu: "v6e", topology: "4x5", zone: "us-east5-b" };
new pulumi.ComponentResource("acme:index:Platform", "platform", inputs, {}, true);
"""


def test_a_provider_of_a_user_names_the_properties(javascript: JavaScript) -> None:
    """Of an error that ends programs, the servicer of the SDK shows the message only."""
    program = javascript.folder / "acme.py"
    program.write_text(PROVIDER_OF_A_USER, encoding="utf-8")
    executable(javascript.folder.parent / "plugin" / "pulumi-resource-acme", f'"{program}" "$@"')
    (javascript.folder / "acme.js").write_text(PROGRAM_WITH_IT, encoding="utf-8")
    planned = javascript.preview("acme")
    assert "- property topology with value '{4x5}' has a problem: TPU112 v6e has no topology 4x5" in planned.error
    assert "Traceback" not in planned.error + planned.printed


def test_the_schema_that_the_cli_gets_is_the_one_here(engine: Engine, tmp_path: pathlib.Path) -> None:
    """The stand-in has the schema of the gcp provider, to which the one here refers."""

    def pulumi(*words: object) -> str:
        command = [str(word) for word in (engine.cli.root / "bin" / "pulumi", *words)]
        environment = {**cli_environment(tmp_path, engine.port), "PATH": os.environ["PATH"]}
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    got = json.loads(pulumi("package", "get-schema", plugin_on_path(tmp_path)))
    assert got == {"config": {}, **json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))}
    pulumi("schema", "check", SCHEMA_FILE)


def test_without_node_there_is_a_reason(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoNodeError, match="no JavaScript: node is not on PATH"):
        find_packages(MANIFEST, tmp_path)


def test_packages_that_cannot_be_installed_are_a_reason(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("node", ""), ("npm", "echo no network >&2; exit 1")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(NoNodeError, match="npm says: no network"):
        find_packages(MANIFEST, tmp_path / "cache")
    assert not [path for path in (tmp_path / "cache" / "npm").iterdir() if path.is_dir() and "partial" not in path.name]
