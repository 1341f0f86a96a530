"""The schema that SDKs in other languages are made from: up to date, and everything in it is described."""

import importlib.metadata
import json
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import pulumi_gke_tpu
from pulumi_gke_tpu.components import args
from pulumi_gke_tpu.features.plugin.args_source import arguments_source
from pulumi_gke_tpu.features.plugin.schema import SCHEMA_FILE, package_schema

SCHEMA: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))


def test_it_is_up_to_date() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == package_schema(), "python tools/plugin_schema.py writes it"


def test_the_arguments_in_python_are_up_to_date() -> None:
    source = pathlib.Path(args.__file__).read_text(encoding="utf-8")
    assert source == arguments_source(), "python tools/plugin_schema.py writes it"


def test_its_version_is_the_package_s_and_one_that_pulumi_reads() -> None:
    assert SCHEMA["version"] == pulumi_gke_tpu.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?", SCHEMA["version"])


def test_there_are_the_five_components() -> None:
    names = [token.removeprefix("gke-tpu:index:") for token in SCHEMA["resources"]]
    assert names == ["TpuFleet", "StandardCluster", "AutopilotCluster", "TpuSlices", "TpuWorkloads"]
    assert all(component["isComponent"] for component in SCHEMA["resources"].values())


def properties() -> Iterator[tuple[str, dict[str, Any]]]:
    for token, kind in [*SCHEMA["resources"].items(), *SCHEMA["types"].items()]:
        yield token, kind
        for part in ("inputProperties", "properties"):
            yield from ((f"{token} {name}", described) for name, described in kind.get(part, {}).items())


def test_certificate_and_kubeconfig_of_a_cluster_are_the_only_secrets() -> None:
    secret = {where for where, described in properties() if described.get("secret")}
    clusters = ("StandardCluster", "AutopilotCluster")
    names = ("caCertificate", "kubeconfig")
    assert secret == {f"gke-tpu:index:{cluster} {name}" for cluster in clusters for name in names}


def test_clusters_and_node_pools_are_resources_of_the_gcp_provider() -> None:
    version = importlib.metadata.version("pulumi-gcp")
    names = {"Cluster": "cluster:Cluster", "NodePool": "nodePool:NodePool"}
    cluster, pool = (
        {"$ref": f"/gcp/v{version}/schema.json#/resources/gcp:container%2F{names[kind]}"} for kind in names
    )
    outputs = {token.rsplit(":", 1)[1]: kind["properties"] for token, kind in SCHEMA["resources"].items()}
    found = {
        f"{component}.{name}": {key: value for key, value in kind.items() if key != "description"}
        for component, kinds in outputs.items()
        for name, kind in kinds.items()
        if name in ("resource", "nodePools")
    }
    pools = {"type": "object", "additionalProperties": pool}
    assert found == {
        "StandardCluster.resource": cluster,
        "StandardCluster.nodePools": pools,
        "AutopilotCluster.resource": cluster,
        "AutopilotCluster.nodePools": pools,
        "TpuSlices.nodePools": pools,
    }
    # Each generated SDK requires the SDK that has these types; for Go, `go mod tidy` finds it.
    required = {name: str(options) for name, options in SCHEMA["language"].items() if name != "go"}
    assert [name for name, options in required.items() if version.partition(".")[0] not in options] == []


def test_everything_is_described() -> None:
    assert [where for where, described in properties() if len(described["description"]) < 4] == []


def test_no_description_speaks_of_a_key_that_has_another_name_there() -> None:
    names = {name.rsplit(" ", 1)[-1] for name, _ in properties()}
    keys = {re.sub("(?=[A-Z])", "_", name).lower() for name in names} - names
    words = {
        (where, word)
        for where, described in properties()
        for word in re.findall(r"\b[a-z]+(?:_[a-z0-9]+)+\b", described["description"])
    }
    values = {"blue_green", "end_of_support"}
    modes = {where for where, _ in words if where.endswith(" fallback")}  # the keys of capacity are values there
    assert sorted((where, word) for where, word in words if word in keys - values and where not in modes) == []


def test_types_are_called_as_their_names_will_be_in_an_sdk() -> None:
    """Pulumi adds Args."""
    assert [token for token in SCHEMA["types"] if token.endswith("Args")] == []
    references = re.findall(r'"#/types/([^"]+)"', SCHEMA_FILE.read_text(encoding="utf-8"))
    assert set(references) == set(SCHEMA["types"])


def test_what_decides_about_resources_is_plain_and_what_only_flows_is_not() -> None:
    slices = SCHEMA["resources"]["gke-tpu:index:TpuSlices"]["inputProperties"]
    assert slices["topology"]["plain"] is True
    assert "plain" not in slices["cluster"]
    assert "plain" not in slices["nodeLabels"]["additionalProperties"]


def test_the_sdk_for_go_has_the_types_of_plain_lists_and_mappings() -> None:
    """By default the generator of Pulumi omits them, and its code does not compile."""
    fleet = SCHEMA["resources"]["gke-tpu:index:TpuFleet"]["inputProperties"]
    assert fleet["clusters"]["additionalProperties"] == {"plain": True, "$ref": "#/types/gke-tpu:index:Cluster"}
    assert SCHEMA["language"]["go"]["generateExtraInputTypes"] is True
