"""Labels with the version of a Helm chart in Pods with chips and in what selects them: TPU580."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.kinds import kind_of
from pulumi_gke_tpu.core.objects import is_open
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.rules.engine.examples import tpu_server
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Severity, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext

_CHART, _APPLICATION, _HOOK = "helm.sh/chart", "app.kubernetes.io/version", "helm.sh/hook"
_POD_LABELS = "metadata: {labels: {app: serve}}"
_SERVER = tpu_server()
_WITH_CHART = _SERVER.replace(_POD_LABELS, "metadata: {labels: {app: serve, helm.sh/chart: serve-0.1.0}}")


@rule(
    "TPU580",
    severity=Severity.NOTE,
    otherwise={Severity.WARNING: "if a selector has the label, or the API server never changes the Pods of the kind"},
    title="Label with the version of a Helm chart in Pods with TPUs",
    why="the label changes with every version of the chart, also if nothing else does. A changed Pod template restarts "
    "all slices of a workload. Selectors and the templates of Jobs and JobSets never change: Helm cannot upgrade them",
    fix="Keep the label in the `metadata` of the object. Use labels without a version in Pod templates and selectors.",
    source="Helm: standard labels; Kubernetes: fields that cannot change after creation",
    failing=_WITH_CHART,
    passing=_SERVER,
)
def chart_version_in_pods(context: ManifestContext) -> Iterable[Hit]:
    seen = set()
    for pod in context.tpu_pods:
        owner = pod.owner
        selected = mapping(mapping(owner.spec.get("selector")).get("matchLabels"))
        for label in (_CHART, _APPLICATION):
            if label in selected and not is_open(selected[label]) and owner.index not in seen:
                seen.add(owner.index)
                place = owner.at("spec", "selector", "matchLabels", label)
                message = f"the selector of {owner.title} has {quoted(label)}: an upgrade of the chart will fail"
                yield Hit(place, message, severity=Severity.WARNING)
        labels = mapping(pod.metadata.get("labels"))
        kind = kind_of(owner)
        if kind is None or _CHART not in labels or is_open(labels[_CHART]) or owner.index in seen or pod.is_pod:
            continue
        if _HOOK in mapping(owner.metadata.get("annotations")):
            continue  # Helm creates it again
        effect = (
            "an upgrade of the chart will fail while it exists"
            if kind.fixed_pods
            else "each version of it restarts them"
        )
        message = f"the Pods of {owner.title} have {quoted(_CHART)}: {effect}"
        place = pod.hit_path((*pod.path, "metadata", "labels", _CHART))
        yield Hit(place, message, severity=Severity.WARNING if kind.fixed_pods else None)
