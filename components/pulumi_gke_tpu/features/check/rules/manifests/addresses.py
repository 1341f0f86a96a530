"""Addresses by which the hosts of a slice find each other: TPU381."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, is_open
from pulumi_gke_tpu.core.objects.open_values import has_open_key
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job
from pulumi_gke_tpu.core.rules.engine.rule import Hit, warning
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext

_HEADLESS = "None"
_WITH_HOST_NETWORK = "ClusterFirstWithHostNet"
_SERVICE = """---
apiVersion: v1
kind: Service
metadata: {name: trainer}
spec:
  selector: {job-name: trainer}
"""
_JOB = tpu_job(pod="subdomain: trainer") + _SERVICE


@warning(
    "TPU381",
    title="Pods of a multi-host slice that cannot resolve each other",
    why="the hosts of a slice find each other by DNS names, which a headless Service gives to the Pods of its "
    "`subdomain`. With the network of the host, Pods use the DNS of the host, which does not know these names",
    fix="Create a Service with `clusterIP: None`, and set `subdomain` to its name. With `hostNetwork: true`, set "
    "`dnsPolicy: ClusterFirstWithHostNet`.",
    references=["gke-multislice", "jobset-multislice"],
    failing=_JOB,
    passing=_JOB.replace("spec:\n  selector", "spec:\n  clusterIP: None\n  selector"),
)
def hosts_without_addresses(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.pods.indexed
    services = list(context.of_kind("Service", ""))
    in_files = bool(services) and not any(is_open(service.name) for service in services)
    seen: set[tuple[str, str]] = set()
    for found in context.slice_pods:
        pod = found.pod
        if found.form.hosts == 1 or pod.is_open or has_open_key(pod.spec):
            continue
        for place, message, fix in _problems(context, pod):
            yield Hit(place, message, fact=fact, fix=fix)
        path = pod.in_object(pod.traits.service_at)
        name = pod.owner.value(*path) if path else None
        if not isinstance(name, str) or not name or is_open(name) or not in_files:
            continue
        service = name, pod.owner.namespace
        reached = context.reachable("Service", "", *service)
        if not reached:
            yield Hit(pod.hit_path(path), f"no Service of the files has the name {quoted(name)}", fact=fact)
        elif service not in seen:
            seen.add(service)
            yield from (Hit(place, message, fact=fact, fix=fix) for place, message, fix in _with_address(reached))


def _problems(context: ManifestContext, pod: PodTemplate) -> Iterator[tuple[Path, str, Fix | None]]:
    switch = pod.traits.names_at
    if switch and pod.owner.value(*switch) is False and "subdomain" not in pod.spec:
        message = "without DNS names, the Pods of a slice with several hosts cannot resolve each other"
        yield pod.owner.at(*switch), message, SetKeys.of({str(switch[-1]): True})
    policy = pod.spec.get("dnsPolicy")
    uses_host = pod.spec.get("hostNetwork") is True and context.mode != "autopilot"  # which rejects it
    if uses_host and policy != _WITH_HOST_NETWORK and not is_open(policy):
        place = pod.at("dnsPolicy") if "dnsPolicy" in pod.spec else pod.at("hostNetwork")
        message = f"with `hostNetwork`, the Pods need the DNS policy {_WITH_HOST_NETWORK} to resolve each other"
        yield place, message, SetKeys.of(dnsPolicy=_WITH_HOST_NETWORK) if "dnsPolicy" in pod.spec else None
    path = pod.in_object(pod.traits.service_at)
    if path and not pod.owner.value(*path):
        message = f"missing `{path[-1]}`, the name of a headless Service, in {pod.owner.title}"
        yield pod.hit_path(path[:-1]), message, None


def _with_address(services: Iterable[KubernetesObject]) -> Iterator[tuple[Path, str, Fix | None]]:
    """The Services that are not headless."""
    for service in services:
        address = service.spec.get("clusterIP")
        if address != _HEADLESS and not is_open(address):
            where = service.at("spec", *(("clusterIP",) if "clusterIP" in service.spec else ()))
            message = f"the Service {quoted(service.name)} is not headless, so the Pods get no DNS names"
            yield where, message, SetKeys.of(clusterIP="None")
