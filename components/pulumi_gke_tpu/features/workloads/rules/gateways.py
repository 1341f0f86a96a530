"""Checks of gateways in front of workloads: TPU850 to TPU858."""

import datetime
import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.kubernetes.gateways import health_check
from pulumi_gke_tpu.core.plan.base import format_duration
from pulumi_gke_tpu.core.plan.pods import Gateway
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Replace, SetKeys, did_you_mean, quoted
from pulumi_gke_tpu.core.text.formats.versions import parse_release
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.workloads.rules.walk import workloads

_KEY = "clusters.*.kubernetes.workloads.*.gateway"
_HOST = lazy_pattern(r"(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\Z", re.ASCII)
_ADDRESS = lazy_pattern(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}\Z", re.ASCII)
_LONGEST_HOST, _LONGEST_LABEL, _MOST_HOSTS = 253, 63, 16
_HEALTH_PATH = lazy_pattern(r"/[!-~]*\Z", re.ASCII)
_SECOND = datetime.timedelta(seconds=1)

_CLUSTER = """mode: standard
location: us-east5
gateway_api: standard
slices: {serve: {tpu: v6e, topology: 2x2, count: 4, zone: us-east5-b}}
"""


def _chat(gateway: str, more: str = "port: 8000") -> str:
    gateway = f"gateway: {{class_name: gke-l7-rilb, {gateway}}}"
    chat = f"{{slices: serve, image: vllm, kind: deployment, {more}, {gateway}}}"
    return f"{_CLUSTER}kubernetes: {{workloads: {{chat: {chat}}}}}"


def _gateways(context: PlanContext) -> Iterator[tuple[Workload, Gateway, Path]]:
    """The gateways of workloads whose kind can have one, each with its path."""
    for workload in workloads(context):
        if workload.plan.gateway is not None and "gateway" in written_kind(workload).keys:
            yield workload, workload.plan.gateway, (*workload.path, "gateway")


@rule(
    "TPU850",
    about=("clusters.*.gateway_api", _KEY),
    title="Gateway on a cluster without the Gateway API",
    why="without the Gateway API, the API server rejects Gateways and routes, and GKE creates no load balancer",
    fix="Set `gateway_api: standard` for the cluster.",
    references=["gke-gateway-classes", "gke-gateway-deployment"],
    failing=_chat("health_path: /health").replace("gateway_api: standard", "gateway_api: disabled"),
    edit=("gateway_api: disabled", "gateway_api: standard"),
)
def gateway_api_not_enabled(context: PlanContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.gateways.classes
    for workload, _, path in _gateways(context):
        cluster = workload.cluster
        state, present = cluster.plan.gateway_api, cluster.mode in fact.enabled_on
        if cluster.existing or state == "standard" or (state is None and present):
            continue  # an existing cluster may have it
        given = "the cluster has no `gateway_api`" if state is None else f"`gateway_api` is {state}"
        yield Hit(
            (*cluster.path, "gateway_api") if state is not None else path,
            f"workload {quoted(workload.name)} has a gateway, and {given}",
            fact=fact,
            fix=SetKeys.of(gateway_api="standard"),
        )


@rule(
    "TPU851",
    about=(f"{_KEY}.class_name",),
    title="Unknown Gateway class",
    why="GKE creates a load balancer only for its own classes, and gke-tpu writes what these need. The classes that "
    "end in -mc are for Gateways of several clusters",
    fix="Use a class of GKE for one cluster.",
    references=["gke-gateway-classes"],
    failing=_chat("health_path: /health").replace("gke-l7-rilb", "gke-l7-ilb"),
    edit=("gke-l7-ilb", "gke-l7-rilb"),
)
def unknown_gateway_class(context: PlanContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.gateways.classes
    for _, plan, path in _gateways(context):
        if plan.class_name not in fact.classes:
            near = did_you_mean(plan.class_name, fact.classes)
            fix = Replace.value(near) if near else None
            place, allowed = (*path, "class_name"), fact.classes
            yield Hit.unknown(place, "Gateway class", plan.class_name, fact=fact, allowed=allowed, fix=fix)


@warning(
    "TPU852",
    about=(f"{_KEY}.class_name", f"{_KEY}.inference_pool"),
    title="Gateway class does not support inference pools",
    why="the inference gateway of GKE exists for regional load balancers only",
    fix="Use gke-l7-regional-external-managed or gke-l7-rilb. Or remove `inference_pool`.",
    references=["gke-inference-gateway", "llm-d-gke-gateway"],
    failing=_chat("inference_pool: {}").replace("gke-l7-rilb", "gke-l7-global-external-managed"),
    edit=("gke-l7-global-external-managed", "gke-l7-regional-external-managed"),
)
def class_without_inference_pools(context: PlanContext) -> Iterable[Hit]:
    fact, known = context.catalog.kubernetes.gateways.pool_support, context.catalog.kubernetes.gateways.classes
    for _, plan, path in _gateways(context):
        if plan.inference_pool is not None and plan.class_name in set(known.classes) - set(fact.classes):
            where = f"Gateway class {plan.class_name}"
            yield Hit.unsupported((*path, "inference_pool"), "`inference_pool`", where, fact=fact, allowed=fact.classes)


@rule(
    "TPU853",
    about=(f"{_KEY}.hosts",),
    title="Invalid host name",
    why="the API server rejects routes with host names that are not DNS names, with addresses, and with more than "
    "16 host names",
    fix="Write each host name once, in lower-case letters, without scheme, port and path. *. at the beginning "
    "matches one or more labels.",
    source="Gateway API: type Hostname",
    references=["gateway-api"],
    failing=_chat("health_path: /health, hosts: ['https://chat.acme.example']"),
    edit=("'https://chat.acme.example'", "chat.acme.example"),
)
def invalid_host(context: PlanContext) -> Iterable[Hit]:
    for _, plan, path in _gateways(context):
        seen: dict[str, int] = {}
        for index, host in enumerate(plan.hosts):
            place = (*path, "hosts", index)
            if problem := _problem(host):
                near = re.sub(r"\Ahttps?://", "", host.strip().lower()).partition("/")[0].partition(":")[0]
                fix = Replace.value(near) if near and not _problem(near) and near not in plan.hosts else None
                yield Hit.invalid(place, "host name", host or "(empty)", problem, fix=fix)
            elif seen.setdefault(host, index) != index:
                yield Hit.duplicate(place, "host name", host)
        if len(plan.hosts) > _MOST_HOSTS:
            yield Hit.exceeds((*path, "hosts"), f"{len(plan.hosts)} host names", f"the limit of {_MOST_HOSTS}")


def _problem(host: str) -> str:
    """Why the API server rejects a host name; empty if it accepts it."""
    if _ADDRESS.match(host):
        return "it is an address"
    if not _HOST.match(host):
        return "use lower-case letters, digits, hyphens and dots"
    if len(host) > _LONGEST_HOST or any(len(label) > _LONGEST_LABEL for label in host.split(".")):
        return f"a host name has at most {_LONGEST_HOST} characters, and each of its parts {_LONGEST_LABEL}"
    return ""


@warning(
    "TPU854",
    about=(f"{_KEY}.hosts",),
    title="Two gateways have the same host name",
    why="each gateway is a load balancer with an address of its own, and clients of a host name use what its DNS "
    "record contains",
    fix="Use a host name of its own for each workload.",
    source="gke-tpu: a gateway for each workload",
    failing=f"""{_CLUSTER}kubernetes:
  workloads:
    chat:
      {{slices: serve, image: vllm, kind: deployment, port: 8000,
       gateway: {{class_name: gke-l7-rilb, health_path: /health, hosts: [chat.acme.example]}}}}
    draft:
      {{slices: serve, image: vllm, kind: deployment, port: 8001,
       gateway: {{class_name: gke-l7-rilb, health_path: /health, hosts: [chat.acme.example]}}}}
""",
    passing=f"""{_CLUSTER}kubernetes:
  workloads:
    chat:
      {{slices: serve, image: vllm, kind: deployment, port: 8000,
       gateway: {{class_name: gke-l7-rilb, health_path: /health, hosts: [chat.acme.example]}}}}
    draft:
      {{slices: serve, image: vllm, kind: deployment, port: 8001,
       gateway: {{class_name: gke-l7-rilb, health_path: /health, hosts: [draft.acme.example]}}}}
""",
)
def host_of_two_gateways(context: PlanContext) -> Iterable[Hit]:
    first: dict[str, Workload] = {}
    for workload, plan, path in _gateways(context):
        for index, host in enumerate(plan.hosts):
            other = first.setdefault(host, workload)
            if other.path != workload.path:
                why = f"workload {quoted(other.name)} of cluster {quoted(other.cluster.key)} has it"
                yield Hit.duplicate((*path, "hosts", index), "host name", host, why)


@rule(
    "TPU855",
    about=(_KEY, f"{_KEY}.inference_pool", "clusters.*.kubernetes.workloads.*.port"),
    title="Gateway has no servers",
    why="a gateway sends requests to `port` of a workload. An inference pool selects Pods by labels, and KubeRay "
    "changes which Pods of a RayService answer",
    fix="Set `port`, or remove `inference_pool` of a RayService.",
    source="gke-tpu: keys of a workload",
    failing=_chat("health_path: /health", "count: 2"),
    edit=("count: 2", "port: 8000"),
)
def gateway_without_servers(context: PlanContext) -> Iterable[Hit]:
    for workload, plan, path in _gateways(context):
        endpoint = written_kind(workload).endpoint(workload, context.catalog)
        if endpoint is None:
            yield Hit.missing(path, "key `port`", "clients of the gateway need it")
        elif plan.inference_pool is not None and not endpoint.selector:
            yield Hit.unsupported((*path, "inference_pool"), "`inference_pool`", f"kind {workload.plan.kind}")


@warning(
    "TPU856",
    about=(f"{_KEY}.health_path", "clusters.*.kubernetes.workloads.*.probes"),
    title="Health checks of the load balancer ask for /",
    why="the load balancer does not know the readiness probe. It sends no request to a server that does not answer its "
    "health checks with 200, and vLLM has no page at /",
    fix="Set `health_path` to a path that the server answers when it is ready, such as /health.",
    references=["gke-gateway-policies", "gke-gateway-health"],
    failing=_chat("hosts: [chat.acme.example]"),
    passing=_chat("hosts: [chat.acme.example], health_path: /health"),
)
def health_checks_of_the_root(context: PlanContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.gateways.backends
    for workload, plan, path in _gateways(context):
        endpoint = written_kind(workload).endpoint(workload, context.catalog)
        if endpoint is None or plan.inference_pool is not None or health_check(workload, plan, endpoint) is not None:
            continue
        yield Hit(
            path,
            f"no `health_path` and no readiness probe with `http_path`: health checks ask for {fact.health_path}",
            fact=fact,
            fix=SetKeys.of(health_path="/health"),
        )


@rule(
    "TPU857",
    about=(f"{_KEY}.health_path", f"{_KEY}.inference_pool", f"{_KEY}.timeout"),
    title="Invalid health check or timeout of a gateway",
    why="a health check asks for a path, and a timeout has at least one second. The chart of the endpoint picker "
    "configures both itself",
    fix="Use a path that begins with / and a timeout of at least 1s. With `inference_pool`, remove both keys.",
    source="gke-tpu: policies of GKE's load balancers",
    references=["gke-gateway-policies", "inference-extension-chart"],
    failing=_chat("health_path: health"),
    edit=("health_path: health", "health_path: /health"),
)
def invalid_backend_policy(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.gateways.pools
    for _, plan, path in _gateways(context):
        chart = f"the chart {facts.chart.name} sets it"
        asked = plan.health_path
        if asked is not None and not _HEALTH_PATH.match(asked):
            near = f"/{asked}"
            fix = Replace.value(near) if _HEALTH_PATH.match(near) else None
            reason = "use / and printable ASCII characters"
            yield Hit.invalid((*path, "health_path"), "path", asked, reason, fix=fix)
        elif plan.inference_pool is not None and asked not in (None, facts.health_path):
            why = f"{chart} to {facts.health_path}"
            yield Hit.conflict((*path, "health_path"), "`health_path`", "`inference_pool`", why)
        if plan.timeout is not None and plan.timeout < _SECOND:
            yield Hit.invalid((*path, "timeout"), "timeout", format_duration(plan.timeout), "use at least 1s")
        elif plan.timeout is not None and plan.inference_pool is not None:
            yield Hit.conflict((*path, "timeout"), "`timeout`", "`inference_pool`", chart)


@rule(
    "TPU858",
    about=(f"{_KEY}.inference_pool", f"{_KEY}.inference_pool.version"),
    title="Invalid release or name of an endpoint picker",
    why="the release is the version of the Helm chart. The chart cuts the name of the workload for cluster-wide "
    "objects, so longer names could be those of another picker",
    fix="Write all three numbers of the release, without v, and use a name of at most 40 characters.",
    references=["inference-extension-chart"],
    source="chart inferencepool: versions and names",
    failing=_chat('inference_pool: {version: "1.0"}'),
    edit=('"1.0"', "1.0.0"),
)
def invalid_endpoint_picker(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.gateways.pools
    for workload, plan, path in _gateways(context):
        pool = plan.inference_pool
        if pool is None:
            continue
        if pool.version is not None and (not parse_release(pool.version) or pool.version.startswith("v")):
            meant = pool.version.removeprefix("v") if parse_release(pool.version) else facts.version
            allowed, fix = (f"three numbers, such as {facts.version}",), SetKeys.of(version=meant)
            place = (*path, "inference_pool", "version")
            yield Hit.invalid(place, "release of the endpoint picker", pool.version, allowed=allowed, fix=fix)
        if len(workload.name) > facts.longest_name:
            length = f"the name {quoted(workload.name)} has {len(workload.name)} characters"
            message = f"{length}, and {facts.longest_name} are allowed with `inference_pool`"
            yield Hit((*path, "inference_pool"), message, fact=facts)
