"""How to install the operators of a plan: a Kustomization for each, and a Helm release for Pulumi.

Both refer to the releases of the projects and add only the configuration that follows from the plan. The manifests of a
project are never copied.
"""

import datetime
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.fleet.operators import InstalledOperator, installed_operators, kueue_policy, operators_of
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, kubernetes_objects
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest
from pulumi_gke_tpu.core.kinds.pods import toleration
from pulumi_gke_tpu.core.kubernetes.charts import KUSTOMIZATION, KUSTOMIZATION_KIND, inflated, nested, released
from pulumi_gke_tpu.core.text.findings import listed, quoted
from pulumi_gke_tpu.core.text.yamlfile.write import write_yaml

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.kubernetes import KueueSpec

_PLUGINS = "plugins"
_CERTIFICATES, _KUEUE = "cert_manager", "kueue"
_NAMESPACE = "namespace.yaml"
FILES = (KUSTOMIZATION, _NAMESPACE)
"""The names of the files of an operator."""
_HASH, _DIGITS = "gke-tpu/configuration", 16
"""The annotation of Pods with a digest of their configuration."""


@frozen
class Installation:
    """How to install an operator with kubectl: a folder with a Kustomization and the files that it names."""

    operator: InstalledOperator
    folder: str
    """The names of the folders sort in the order of installation."""
    files: Mapping[str, Manifest] = field(hash=False)

    @property
    def needs_helm(self) -> bool:
        """Whether the project publishes only a Helm chart, which kubectl renders with Helm."""
        return not self.operator.fact.manifest


@frozen
class HelmRelease:
    """How to install an operator with Helm."""

    operator: InstalledOperator
    name: str
    properties: Mapping[str, Any] = field(hash=False)


def installations(cluster: Cluster, catalog: Catalog) -> Iterator[Installation]:
    """The folders of all operators of a cluster."""
    for operator in installed_operators(cluster, catalog):
        files = _of_release(operator, catalog) if operator.fact.manifest else _of_chart(operator, catalog)
        yield Installation(operator, folder_name(operator.number, operator.key), dict(files))


def needed_operators(objects: KubernetesObjects, catalog: Catalog) -> Iterator[tuple[str, str]]:
    """The operators that the objects of a cluster need, as keys of the catalog, each with the reason, once."""
    facts = catalog.kubernetes
    by_group = {
        facts.controllers[item.controller].group: key
        for key, item in facts.operators.installations.items()
        if item.controller in facts.controllers
    }
    reasons: dict[str, str] = {}
    for workload in objects.workloads:
        kind = written_kind(workload)
        key = by_group.get(kind.controller(workload))
        by_gke = kind.addon is not None and kind.addon(catalog) in objects.cluster.plan.addons
        if key is not None and not by_gke:
            reasons.setdefault(key, f"workload {quoted(workload.name)} needs it")
    if objects.queues:
        reasons.setdefault(_KUEUE, f"queue {quoted(objects.queues[0].name)} needs it")
    for operator in installed_operators(objects.cluster, catalog):
        if operator.fact.part_of:
            reasons.setdefault(_CERTIFICATES, f"the {operator.fact.title} needs it")
    yield from reasons.items()


def missing_operators(cluster: Cluster, catalog: Catalog) -> str:
    """What has to be in a cluster whose plan installs no operators, and the line that installs it; empty if nothing.

    With the key ``operators``, a rule reports the missing ones that it can install.
    """
    objects = kubernetes_objects(cluster)
    slices = _slice_controller(objects, catalog) if objects is not None else ""
    facts = catalog.kubernetes.operators.installations
    unplanned = objects is not None and operators_of(cluster) is None
    needed = [key for key, _ in needed_operators(objects, catalog) if key in facts] if objects and unplanned else []
    if not needed:
        return slices
    titles = listed([f"{facts[key].title} {facts[key].version}" for key in sorted(needed)], "and")
    keys = ", ".join(f"{key}: {{}}" for key in sorted(needed))
    them = "it" if len(needed) == 1 else "them"
    install = (
        f"the cluster needs {titles}; to install {them} with the plan, add `operators: {{{keys}}}` to `kubernetes`"
    )
    return "; ".join(filter(None, (install, slices)))


def _slice_controller(objects: KubernetesObjects, catalog: Catalog) -> str:
    """How to install the controller that makes slices of cubes for Kueue, which has no release."""
    used = any(quota.flavor.dynamic for queue in objects.queues for quota in queue.quotas)
    if not used or objects.cluster.workers:
        return ""
    facts = catalog.kubernetes.kueue.slices
    return (
        f"queues of cubes need the slice controller for Kueue: `kubectl apply --server-side -f {facts.manifest}`; pin "
        f"its image by digest, since {facts.image} has no fixed version, and give its Pod a node with "
        f"{facts.cpu} free vCPUs and {facts.memory} of memory"
    )


def helm_releases(cluster: Cluster, catalog: Catalog) -> Iterator[HelmRelease]:
    """The Helm releases of all operators of a cluster, as the properties of the Kubernetes provider."""
    for operator in installed_operators(cluster, catalog):
        chart, namespace = operator.fact.chart, operator.fact.chart.namespace or operator.fact.namespace
        values, create = _values(operator, catalog), not chart.namespace
        properties = released(chart, operator.version, chart.name, namespace, values, create_namespace=create)
        yield HelmRelease(operator, _name(operator), properties)


def folder_name(number: int, key: str) -> str:
    """The name of the folder of an operator, which does not depend on the other operators of the plan."""
    return f"{number}0-{_words(key)}"


def _name(operator: InstalledOperator) -> str:
    return _words(operator.key)


def _words(key: str) -> str:
    return key.replace("_", "-")


def _of_release(operator: InstalledOperator, catalog: Catalog) -> Iterator[tuple[str, Manifest]]:
    """A Kustomization of the objects that the project publishes."""
    fields = {
        "resources": [operator.fact.manifest.replace("{version}", operator.version)],
        **_patched(operator, catalog),
    }
    yield KUSTOMIZATION, manifest("operators", KUSTOMIZATION_KIND, _name(operator), operator.path, fields)


def _patched(operator: InstalledOperator, catalog: Catalog) -> dict[str, Any]:
    patches = [{"patch": write_yaml(patch)} for patch in _patches(operator, catalog)]
    return {"patches": patches} if patches else {}


def _patches(operator: InstalledOperator, catalog: Catalog) -> Iterator[dict[str, Any]]:
    """The configuration, what starts the Pods again when it changes, and the tolerations of the Pods."""
    facts, namespace = catalog.kubernetes.operators.kueue_configuration, operator.fact.namespace
    configuration = _configuration(operator, catalog)
    template: dict[str, Any] = {}
    if configuration:
        yield {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": facts.config_map, "namespace": namespace},
            "data": {facts.key: configuration},
        }
        digest = hashlib.sha256(configuration.encode()).hexdigest()[:_DIGITS]
        template["metadata"] = {"annotations": {_HASH: digest}}
    if operator.tolerations:
        template["spec"] = {"tolerations": list(map(toleration, operator.tolerations))}
    if configuration and operator.profiles:
        template["spec"] = {**template.get("spec", {}), **_plugin(catalog)}
    kind = catalog.kubernetes.kinds.objects["deployment"]
    for name in operator.fact.deployments if template else ():
        metadata = {"name": name, "namespace": namespace}
        yield {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, "spec": {"template": template}}


def _of_chart(operator: InstalledOperator, catalog: Catalog) -> Iterator[tuple[str, Manifest]]:
    """A Kustomization of a Helm chart, with the namespace that the chart does not create."""
    chart = operator.fact.chart
    values = _values(operator, catalog, tolerations=False)
    namespace = chart.namespace or operator.fact.namespace
    entry = inflated(chart, operator.version, chart.name, namespace, values)
    fields: dict[str, Any] = {"helmCharts": [entry], **_patched(operator, catalog)}
    if not chart.namespace:
        kind = catalog.kubernetes.kinds.objects["namespace"]
        yield _NAMESPACE, manifest("operators", kind, operator.fact.namespace, operator.path, {})
        fields = {"resources": [_NAMESPACE], **fields}
    yield KUSTOMIZATION, manifest("operators", KUSTOMIZATION_KIND, _name(operator), operator.path, fields)


def _values(operator: InstalledOperator, catalog: Catalog, *, tolerations: bool = True) -> dict[str, Any]:
    """The values of a chart as nested mappings. Some charts cannot set tolerations, so a Kustomization patches them."""
    chart = operator.fact.chart
    found: dict[str, Any] = dict(chart.values)
    if chart.configuration:
        found[chart.configuration] = _configuration(operator, catalog)
    if tolerations and operator.tolerations:
        found |= {path: list(map(toleration, operator.tolerations)) for path in chart.tolerations}
    return nested(found)


def _configuration(operator: InstalledOperator, catalog: Catalog) -> str:
    """The configuration of an operator as text; empty for an operator without one."""
    from pulumi_gke_tpu.core.plan.kubernetes import KueueSpec  # only plans with operators need it

    if not isinstance(operator.plan, KueueSpec):
        return ""
    written = _kueue_configuration(operator.plan, catalog, shares=operator.shares)
    return write_yaml(written | _claims(operator, catalog) | _profiles(operator, catalog))


def _profiles(operator: InstalledOperator, catalog: Catalog) -> dict[str, Any]:
    """The part of Kueue's configuration by which a manager reaches its workers through GKE's fleet."""
    if not operator.profiles:
        return {}
    facts = catalog.kubernetes.kueue.cluster_profiles
    program = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": facts.command,
        "args": ["--use_application_default_credentials"],  # the image of Kueue has no gcloud
        "interactiveMode": "Never",
    }
    providers = [{"name": facts.provider, "execConfig": program}]
    return {
        "featureGates": {facts.feature_gate: True},
        "multiKueue": {"clusterProfile": {"accessProviders": providers}},
    }


def _plugin(catalog: Catalog) -> dict[str, Any]:
    """What copies the program that yields tokens into the Pods of Kueue."""
    facts = catalog.kubernetes.kueue.cluster_profiles
    mount = {"name": _PLUGINS, "mountPath": facts.command.rpartition("/")[0]}
    copy = {
        "name": "copy-plugin",
        "image": facts.image,
        "command": ["cp", facts.binary, facts.command],
        "volumeMounts": [mount],
    }
    return {
        "initContainers": [copy],
        "containers": [{"name": "manager", "volumeMounts": [mount]}],
        "volumes": [{"name": _PLUGINS, "emptyDir": {}}],
    }


def _claims(operator: InstalledOperator, catalog: Catalog) -> dict[str, Any]:
    """The part of Kueue's configuration by which it counts claimed chips as requested ones."""
    if not operator.claimed:
        return {}
    device_class, chips = catalog.kubernetes.pods.resource_claims.device_class, catalog.kubernetes.pods.resource.name
    mapping = {"name": chips, "deviceClassNames": [device_class]}
    return {"resources": {catalog.kubernetes.kueue.claims.mapping: [mapping]}}


def _kueue_configuration(kueue: "KueueSpec", catalog: Catalog, *, shares: bool) -> dict[str, Any]:
    """The configuration of Kueue: that of its release, with the frameworks and policies of the plan.

    ``blockAdmission`` stays false: with it, one slice that waits for nodes would stop the admission to all queues.
    Workloads without a queue start at once, as without Kueue.
    """
    facts, ready = catalog.kubernetes.operators.kueue_configuration, catalog.kubernetes.operators.pods_ready
    policy = kueue_policy(kueue, catalog)
    kept = {"afterFinished": policy.finished, "afterDeactivatedByKueue": policy.deactivated}
    retention = {name: _duration(value) for name, value in kept.items() if value is not None}
    return {
        "apiVersion": facts.api_version,
        "kind": "Configuration",
        "leaderElection": {"leaderElect": True, "resourceName": facts.leader_election},
        "controller": {"groupKindConcurrency": dict(facts.concurrency)},
        "clientConnection": {"qps": facts.queries_per_second, "burst": facts.query_burst},
        "manageJobsWithoutQueueName": False,
        "integrations": {"frameworks": list(policy.frameworks)},
        "waitForPodsReady": {
            "timeout": _duration(policy.timeout),
            "recoveryTimeout": _duration(policy.recovery_timeout),
            "blockAdmission": False,
            "requeuingStrategy": {
                "timestamp": "Eviction",
                **({"backoffLimitCount": policy.retries} if policy.retries is not None else {}),
                "backoffBaseSeconds": ready.backoff_seconds,
                "backoffMaxSeconds": ready.longest_backoff_seconds,
            },
        },
        **({"objectRetentionPolicies": {"workloads": retention}} if retention else {}),
        **(
            {"fairSharing": {"preemptionStrategies": list(catalog.kubernetes.kueue.sharing.strategies)}}
            if shares
            else {}
        ),
    }


def _duration(value: datetime.timedelta) -> str:
    """A duration as Go reads it: in the largest unit of which it is a whole number."""
    seconds = int(value.total_seconds())
    for unit, length in (("h", 3600), ("m", 60)):
        if seconds and seconds % length == 0:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"
