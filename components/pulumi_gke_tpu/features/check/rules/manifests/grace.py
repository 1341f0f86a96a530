"""The time that pods get to stop: TPU739 and TPU756."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import GkeVersion, VersionRange
from pulumi_gke_tpu.core.objects import PodTemplate
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, Severity
from pulumi_gke_tpu.features.check.context import ManifestContext

_KEY = "terminationGracePeriodSeconds"
_OFF = "false"


@warning(
    "TPU739",
    title="Grace period above the limit of GKE",
    why="at maintenance and upgrades, GKE waits at most one hour for the Pods of TPU nodes; after a host error and at "
    "a repair it does not wait",
    fix="Set at most 3600 seconds, and write checkpoints more often than that.",
    references=["google-skills-disruption", "gke-node-upgrade-strategies"],
    failing=tpu_pod(spec="terminationGracePeriodSeconds: 7200"),
    passing=tpu_pod(spec="terminationGracePeriodSeconds: 3600"),
)
def grace_period_too_long(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.pods.grace
    for pod, seconds in _graces(context):
        if seconds > fact.max_seconds:
            what, limit = f"a grace period of {seconds:,} s", f"the limit of {fact.max_seconds:,} s"
            yield Hit.exceeds(
                pod.at(_KEY), what, limit, fact=fact.for_item("max_seconds"), fix=SetKeys.of({_KEY: fact.max_seconds})
            )


@rule(
    "TPU756",
    severity=Severity.NOTE,
    otherwise={Severity.WARNING: "if the version of the cluster in the plan has no graceful termination for TPU nodes"},
    title="Grace period that GKE does not grant in full",
    why="Spot nodes stop about 30 seconds after the notice, which cannot be extended",
    fix="Write checkpoints all the time, or use capacity that GKE does not preempt.",
    references=["google-skills-autoscaler", "plan-tpus"],
    failing=tpu_pod(spec="terminationGracePeriodSeconds: 600", selector='cloud.google.com/gke-spot: "true"'),
    passing=tpu_pod(spec="terminationGracePeriodSeconds: 25", selector='cloud.google.com/gke-spot: "true"'),
)
def grace_period_not_granted(context: ManifestContext) -> Iterable[Hit]:
    fact, spot = context.catalog.kubernetes.pods.grace, context.catalog.platform.names.capacity_labels.spot
    old = _version_without_grace(context)
    for pod, seconds in _graces(context):
        selected = pod.selection(spot)
        if seconds > fact.spot_seconds and selected is not None and selected.values != (_OFF,) and not selected.open:
            message = f"Spot nodes stop after about {fact.spot_seconds} s, and the Pods have {seconds:,} s to stop"
            yield Hit(pod.at(_KEY), message, fact=fact.for_item("spot_seconds"))
        if seconds > fact.default_seconds and old:
            feature = context.catalog.versions.features["graceful_termination"]
            message = f"GKE {old} has no graceful termination for TPU nodes"
            why = f"it requires control plane version {feature.standard}"
            yield Hit(pod.at(_KEY), message, fact=feature, severity=Severity.WARNING, why=why)


def _graces(context: ManifestContext) -> Iterator[tuple[PodTemplate, int]]:
    for pod in context.tpu_pods:
        seconds = pod.spec.get(_KEY)
        if isinstance(seconds, int) and not isinstance(seconds, bool):
            yield pod, seconds


def _version_without_grace(context: ManifestContext) -> str:
    """The version of the clusters in the plan if all of them are older than graceful termination; otherwise empty."""
    needed = context.catalog.versions.features["graceful_termination"].standard
    versions = [cluster.version for cluster in context.clusters()]
    old = [version for version in versions if version and needed and _is_older(version, needed)]
    return old[0] if old and len(old) == len(versions) else ""


def _is_older(version: str, than: str) -> bool:
    try:
        return VersionRange.parse(version).highest < GkeVersion.parse(than)
    except ValueError:
        return False
