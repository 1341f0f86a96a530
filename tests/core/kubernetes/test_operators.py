"""Operators: a Kustomization and a Helm release for each, which refer to the release of the project."""

from collections.abc import Iterable
from typing import Any

import pytest
import yaml
from support.workload_plans import TRAIN, checked, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.kubernetes.charts import KUSTOMIZATION
from pulumi_gke_tpu.core.kubernetes.operators import Installation, helm_releases, installations

CATALOG = read_catalog()
FACTS = CATALOG.kubernetes.operators
EVERY: dict[str, Any] = {name: {} for name in ("kueue", "kuberay", "cert_manager", "leaderworkerset", "jobset")}
MODES = pytest.mark.parametrize("mode", ["standard", "autopilot"])

CONFIGURATION = {
    "apiVersion": str,
    "kind": str,
    "leaderElection": {"leaderElect": bool, "resourceName": str},
    "controller": {"groupKindConcurrency": dict},
    "clientConnection": {"qps": int, "burst": int},
    "manageJobsWithoutQueueName": bool,
    "integrations": {"frameworks": list},
    "waitForPodsReady": {
        "timeout": str,
        "recoveryTimeout": str,
        "blockAdmission": bool,
        "requeuingStrategy": {
            "timestamp": str,
            "backoffLimitCount": int,
            "backoffBaseSeconds": int,
            "backoffMaxSeconds": int,
        },
    },
    "objectRetentionPolicies": {"workloads": {"afterFinished": str, "afterDeactivatedByKueue": str}},
    "fairSharing": {"preemptionStrategies": list},
}
"""Keys of Kueue's configuration with their types, from its Go types (0.19.2), which it decodes strictly."""


def cluster(
    operators: dict[str, Any] | None, mode: str = "standard", sharing: dict[str, Any] | None = None, **more: Any
) -> Cluster:
    group = {**TRAIN, "zone": "us-east5-b"} if mode == "standard" else {"tpu": "v6e", "topology": "4x4"}
    kubernetes = {**({} if operators is None else {"operators": operators}), **(sharing or {})}
    workloads = {"w": {"slices": "train"}}
    fleet = checked(workload_plan({"train": group}, workloads, mode=mode, kubernetes=kubernetes, **more)).fleet
    assert fleet is not None
    return fleet.clusters[0]


def installed(operators: dict[str, Any] | None, mode: str = "standard") -> list[Installation]:
    return list(installations(cluster(operators, mode), CATALOG))


def configuration(more: dict[str, Any] | None = None, **kueue: Any) -> dict[str, Any]:
    """The configuration of Kueue in the patch of its Kustomization; ``more`` are other Kubernetes keys."""
    (item,) = installations(cluster({"kueue": kueue}, sharing=more), CATALOG)
    patches = [yaml.safe_load(patch["patch"]) for patch in item.files[KUSTOMIZATION].object["patches"]]
    (data,) = (patch["data"] for patch in patches if patch["kind"] == "ConfigMap")
    found: dict[str, Any] = yaml.safe_load(data[FACTS.kueue_configuration.key])
    return found


def unknown_keys(value: Any, types: Any, path: str = "") -> Iterable[str]:
    if isinstance(types, dict):
        for key, entry in value.items():
            yield from unknown_keys(entry, types.get(key), f"{path}.{key}")
    elif types is None or type(value) is not types:
        yield f"{path}: {value!r}"


@MODES
def test_nothing_is_installed_without_the_key(mode: str) -> None:
    assert installed(None, mode) == []
    assert list(helm_releases(cluster(None, mode), CATALOG)) == []
    assert installed({}, mode) == []


@MODES
def test_operators_are_installed_in_the_order_of_the_catalog_whatever_the_order_in_the_plan(mode: str) -> None:
    folders = [item.folder for item in installed(EVERY, mode)]
    order = [folder.partition("-")[2].replace("-", "_") for folder in folders]
    assert order == list(FACTS.installations)
    assert folders == sorted(folders)
    assert order[-1] == "kueue", "it looks for the kinds of the others when it starts"
    assert [item.operator.key for item in helm_releases(cluster(EVERY, mode), CATALOG)] == order


def test_the_name_of_a_folder_does_not_depend_on_the_other_operators() -> None:
    for item in installed(EVERY):
        alone = [other.folder for other in installed({item.operator.path[-1]: {}})]
        assert item.folder in alone


def test_a_kustomization_names_the_release_and_contains_no_manifest_of_the_project() -> None:
    for item in installed(EVERY):
        kustomization = item.files[KUSTOMIZATION].object
        others = [file.kind for name, file in item.files.items() if name != KUSTOMIZATION]
        assert others in ([], ["Namespace"])
        fact, charts = item.operator.fact, kustomization.get("helmCharts", [])
        assert kustomization.get("resources", []) == [
            *([fact.manifest.replace("{version}", fact.version)] if fact.manifest else []),
            *(name for name in item.files if name != KUSTOMIZATION),
        ]
        assert [(chart["name"], chart["version"]) for chart in charts] == (
            [] if fact.manifest else [(fact.chart.name, fact.chart.version_prefix + fact.version)]
        )
        assert item.needs_helm == bool(charts)


@pytest.mark.parametrize("key", EVERY)
def test_the_release_of_the_plan_is_installed_both_ways(key: str) -> None:
    operators = {key: {"version": "9.8.7"}}
    (first, *_) = installed(operators)
    assert "9.8.7" in yaml.safe_dump(first.files[KUSTOMIZATION].object)
    (release, *_) = helm_releases(cluster(operators), CATALOG)
    assert release.properties["version"] == f"{first.operator.fact.chart.version_prefix}9.8.7"


def test_kuberay_brings_its_webhook_in_a_release_of_its_own() -> None:
    kuberay, webhook = helm_releases(cluster({"kuberay": {"version": "1.6.0", "tpu_webhook": "0.3.0"}}), CATALOG)
    assert (kuberay.properties["version"], webhook.properties["version"]) == ("1.6.0", "0.3.0")
    assert webhook.properties["createNamespace"] is False, "its chart creates the namespace"


def test_a_chart_in_a_registry_has_its_address_and_another_one_its_repository() -> None:
    for release in helm_releases(cluster(EVERY), CATALOG):
        in_registry = str(release.properties["chart"]).startswith("oci://")
        assert in_registry != ("repositoryOpts" in release.properties)


@pytest.mark.parametrize(
    "kueue",
    [
        {},
        {
            "wait_for_pods_ready": {"timeout": "90m", "recovery_timeout": "2d", "retries": 0},
            "retention": {"finished": "7d", "deactivated": "36h"},
            "frameworks": ["ray.io/rayservice", "pod"],
        },
    ],
)
def test_kueue_knows_every_key_of_its_configuration(kueue: dict[str, Any]) -> None:
    assert list(unknown_keys(configuration(**kueue), CONFIGURATION)) == []


def test_both_ways_have_the_same_configuration() -> None:
    (release,) = helm_releases(cluster({"kueue": {}}), CATALOG)
    assert (
        yaml.safe_load(release.properties["values"]["managerConfig"]["controllerManagerConfigYaml"]) == configuration()
    )


def test_the_defaults_of_the_configuration() -> None:
    found = configuration()
    assert found["waitForPodsReady"]["timeout"] == found["waitForPodsReady"]["recoveryTimeout"] == "30m"
    assert found["waitForPodsReady"]["blockAdmission"] is found["manageJobsWithoutQueueName"] is False
    assert "backoffLimitCount" not in found["waitForPodsReady"]["requeuingStrategy"]
    assert "objectRetentionPolicies" not in found
    assert {"pod", "deployment", "batch/job"} <= set(found["integrations"]["frameworks"])


def test_the_keys_of_the_plan_are_in_the_configuration() -> None:
    found = configuration(
        wait_for_pods_ready={"timeout": "90m", "retries": 3},
        retention={"finished": "0s", "deactivated": "1d"},
        frameworks=["ray.io/rayservice", "ray.io/rayservice"],
    )
    ready = found["waitForPodsReady"]
    assert (ready["timeout"], ready["recoveryTimeout"], ready["requeuingStrategy"]["backoffLimitCount"]) == (
        *("90m", "90m"),
        3,
    )
    workloads = found["objectRetentionPolicies"]["workloads"]
    assert workloads == {"afterFinished": "0s", "afterDeactivatedByKueue": "24h"}
    assert found["integrations"]["frameworks"].count("ray.io/rayservice") == 1


@pytest.mark.parametrize(
    ("more", "shares"),
    [
        ({}, False),
        ({"queues": {"q": {"cohort": "a"}}, "cohorts": {"a": {}}}, False),
        ({"queues": {"q": {"cohort": "a", "weight": 0}}}, True),
        ({"queues": {"q": {"cohort": "a"}}, "cohorts": {"b": {}, "a": {"parent": "b", "weight": 2}}}, True),
    ],
    ids=str,
)
def test_fair_sharing_is_on_exactly_if_queues_or_cohorts_have_weights(more: dict[str, Any], shares: bool) -> None:
    """Kueue ignores weights without it; with it, it preempts in another order."""
    found = configuration(more)
    assert ("fairSharing" in found) == shares
    if shares:
        assert found["fairSharing"]["preemptionStrategies"] == ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]


@pytest.mark.parametrize("driver", ["device_plugin", "dynamic_resource_allocation"])
def test_kueue_counts_claimed_chips_where_pods_claim_them(driver: str) -> None:
    group = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b", "driver_mode": driver}
    plan = workload_plan(
        {"g": group}, {"w": {"slices": "g"}}, kubernetes={"operators": {"kueue": {}}}, min_version="1.35"
    )
    fleet = checked(plan).fleet
    assert fleet is not None
    (release,) = helm_releases(fleet.clusters[0], CATALOG)
    found = yaml.safe_load(release.properties["values"]["managerConfig"]["controllerManagerConfigYaml"])
    mapping = {"deviceClassMappings": [{"name": "google.com/tpu", "deviceClassNames": ["tpu.google.com"]}]}
    assert found.get("resources") == (mapping if driver == "dynamic_resource_allocation" else None)


def test_kueue_starts_again_only_if_its_configuration_changes() -> None:
    def digest(**kueue: Any) -> str:
        (item,) = installed({"kueue": kueue})
        patches = [yaml.safe_load(patch["patch"]) for patch in item.files[KUSTOMIZATION].object["patches"]]
        (pods,) = (patch["spec"]["template"]["metadata"] for patch in patches if patch["kind"] == "Deployment")
        return str(pods["annotations"]["gke-tpu/configuration"])

    assert digest() == digest(version="0.19.1") == digest(wait_for_pods_ready={"timeout": "30m"})
    assert digest() != digest(wait_for_pods_ready={"timeout": "31m"})


TAINTED = {
    "taints": [
        {"key": "components.gke.io/gke-managed-components", "value": "true", "effect": "no_schedule"},
        {"key": "slow", "value": "yes", "effect": "prefer_no_schedule"},
    ]
}
TOLERATED = [{"key": "components.gke.io/gke-managed-components", "operator": "Exists", "effect": "NoSchedule"}]


def test_operators_tolerate_the_taints_of_the_system_pool() -> None:
    for item in installations(cluster(EVERY, system_pool=TAINTED), CATALOG):
        patches = [yaml.safe_load(patch["patch"]) for patch in item.files[KUSTOMIZATION].object["patches"]]
        pods = {patch["metadata"]["name"]: patch["spec"] for patch in patches if patch["kind"] == "Deployment"}
        assert tuple(pods) == item.operator.fact.deployments
        assert all(spec["template"]["spec"]["tolerations"] == TOLERATED for spec in pods.values())


def test_helm_releases_tolerate_them_where_their_chart_can() -> None:
    for release in helm_releases(cluster(EVERY, system_pool=TAINTED), CATALOG):
        for path in release.operator.fact.chart.tolerations:
            value: Any = release.properties["values"]
            for step in path.split("."):
                value = value[step]
            assert value == TOLERATED
    without = [item.operator.key for item in installed(EVERY) if not item.operator.fact.chart.tolerations]
    assert without == ["kuberay_tpu_webhook"]


def test_without_taints_nothing_is_patched_but_the_configuration() -> None:
    patched = [item.operator.key for item in installed(EVERY) if "patches" in item.files[KUSTOMIZATION].object]
    assert patched == ["kueue"]
    assert "tolerations" not in yaml.safe_dump(
        [dict(item.properties) for item in helm_releases(cluster(EVERY), CATALOG)]
    )
