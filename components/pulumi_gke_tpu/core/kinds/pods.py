"""Pod templates: Pods on TPU hosts, which hold all chips of their host, and Pods without chips."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.file_systems import file_system
from pulumi_gke_tpu.core.fleet.model import Shape, SliceGroup
from pulumi_gke_tpu.core.fleet.scheduling import (
    Room,
    Toleration,
    claims_chips,
    flavor_taint,
    head_pool,
    pool_choice,
    shared_selector,
    shared_tolerations,
    taint_tolerations,
)
from pulumi_gke_tpu.core.fleet.workloads import Workload, claim_name, claim_template_name, is_queued
from pulumi_gke_tpu.core.kinds.registry import written_kind
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.quantity import canonical_quantity, parse_quantity, quantities

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.kubernetes import WorkloadSpec
    from pulumi_gke_tpu.core.plan.pods import AdditionalContainer, Probe, SecretKey
    from pulumi_gke_tpu.core.plan.volumes import Bucket, Volume


_ITEMS = "[]"


def extended(template: dict[str, Any], addition: Mapping[str, Any], catalog: Catalog) -> dict[str, Any]:
    """The template with the fields of an addition. What contradicts the template is left out: a rule reports it."""
    if not addition:
        return template
    result = _Merge(catalog).mapping(template, addition, (), "")
    return {key: result[key] for key in ("metadata", *result) if key in result}


def contradictions(template: Mapping[str, Any], addition: Mapping[str, Any], catalog: Catalog) -> Mapping[Path, Any]:
    """The places in an addition that would replace something, each with what the template has there."""
    merge = _Merge(catalog)
    merge.mapping(template, addition, (), "")
    return merge.contradictions


class _Merge:
    def __init__(self, catalog: Catalog) -> None:
        facts = catalog.kubernetes.pods.merging
        self.keys = {**dict.fromkeys(facts.appended, ""), **facts.keys}
        self.contradictions: dict[Path, Any] = {}

    def mapping(self, base: Mapping[str, Any], more: Mapping[str, Any], path: Path, place: str) -> dict[str, Any]:
        result = dict(base)
        for key, value in more.items():
            here, below = (*path, key), f"{place}.{key}" if place else key
            result[key] = self.value(base[key], value, here, below) if key in base else value
        return result

    def value(self, base: object, more: object, path: Path, place: str) -> object:
        if isinstance(base, Mapping) and isinstance(more, Mapping):
            return self.mapping(base, more, path, place)
        if isinstance(base, list) and isinstance(more, list) and place in self.keys:
            return self.items(base, more, path, place)
        if base != more or type(base) is not type(more):
            self.contradictions[path] = base
        return base

    def items(self, base: list[Any], more: list[Any], path: Path, place: str) -> list[Any]:
        """The entries of both lists: those with the same name become one."""
        key, result = self.keys[place], list(base)
        for index, entry in enumerate(more):
            name = entry.get(key) if key and isinstance(entry, Mapping) else None
            at = next((i for i, item in enumerate(base) if name is not None and item.get(key) == name), None)
            if at is None:
                result.append(entry)
            else:
                result[at] = self.value(base[at], entry, (*path, index), place + _ITEMS)
        return result


_ON = "true"
"""The value of the annotations of Pods to which GKE adds a container."""
_CLAIM = "tpus"
RestartPolicy = Literal["Always", "Never", "OnFailure"]


def without_empty(**fields: Any) -> dict[str, Any]:
    """The fields that have a value: not None, and not empty."""
    return {name: value for name, value in fields.items() if value not in (None, {}, [], ())}


def tpu_pod(  # noqa: PLR0913 - what the kinds add to the same Pod
    workload: Workload,
    catalog: Catalog,
    *,
    restart: RestartPolicy | None = None,
    container: Mapping[str, Any] | None = None,
    pool: str | None = None,
    subdomain: str | None = None,
    affinity: Mapping[str, Any] | None = None,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    sidecars: Sequence[dict[str, Any]] = (),
    shared: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The template of a Pod on a TPU host, with what the plan adds to it.

    ``container`` are fields of the containers instead of those of the plan, ``pool`` is the node pool that the Pods
    select, ``subdomain`` the headless Service that gives them names, ``affinity`` that to other Pods. ``shared`` are
    folders in memory that the containers share with ``sidecars``, by the names of their volumes.
    """
    shared = shared or {}
    selector, node_affinity = _nodes(workload, pool, catalog)
    own = {
        **extended_run(workload, catalog),
        **_of_cubes(workload, catalog),
        **_mounting(workload, catalog),
        **(annotations or {}),
    }
    template = {
        **without_empty(metadata=without_empty(labels=dict(labels or {}), annotations=own)),
        "spec": {
            **without_empty(subdomain=subdomain),
            **_common(workload, restart),
            **without_empty(nodeSelector=selector, affinity={**node_affinity, **(affinity or {})}),
            "tolerations": [toleration(item) for item in _all_tolerations(workload, catalog)],
            **without_empty(initContainers=[*sidecars, *_additional_containers(workload)]),
            "containers": _tpu_containers(workload, catalog, container or program(workload), shared),
            **without_empty(resourceClaims=_claims(workload, catalog)),
            **without_empty(volumes=[*_volumes(workload, catalog), *_in_memory(shared)]),
        },
    }
    return extended(template, workload.plan.pod_template, catalog)


def head_pod(
    workload: Workload,
    catalog: Catalog,
    containers: Sequence[dict[str, Any]],
    *,
    restart: RestartPolicy | None = None,
    vcpus: int = 0,
    sidecars: Sequence[dict[str, Any]] = (),
    mounted: bool = True,
) -> dict[str, Any]:
    """The template of a Pod without chips: in its ComputeClass, else a CPU pool of the plan, else where no TPU is.

    ``mounted``: whether it has the volumes of the workload.
    """
    head = workload.plan.head
    if head is not None and head.compute_class is not None:
        pool, selector = None, {catalog.kubernetes.compute_classes.form.selector: head.compute_class}
    else:
        pool = head_pool(workload.cluster, _requested([*containers, *sidecars]), catalog, vcpus)
        selector = {catalog.kubernetes.workloads.nodes.pool: pool.name} if pool else {}
    template = {
        **without_empty(metadata=without_empty(annotations=_mounting(workload, catalog) if mounted else None)),
        "spec": {
            **_common(workload, restart),
            **without_empty(
                nodeSelector=selector,
                tolerations=[toleration(item) for item in taint_tolerations(pool.plan.taints)] if pool else None,
            ),
            **without_empty(initContainers=list(sidecars)),
            "containers": list(containers),
            **without_empty(volumes=_volumes(workload, catalog) if mounted else None),
        },
    }
    return extended(template, head.pod_template if head is not None else {}, catalog)


def requests_of(template: Mapping[str, Any]) -> Room:
    """What a Pod of a template requests. Sidecars run as long as the Pod, other init containers before the others."""
    spec = template["spec"]
    sidecars = (mapping(item) for item in items(spec.get("initContainers")))
    return _requested([*spec["containers"], *(item for item in sidecars if item.get("restartPolicy") == "Always")])


def _requested(containers: Iterable[Mapping[str, Any]]) -> Room:
    # What a plan adds to the template can have any form, until a rule reports it.
    requests = [mapping(mapping(mapping(one).get("resources")).get("requests")) for one in containers]
    cpus, memory = (
        sum((parse_quantity(item.get(name, 0)) or Fraction(0) for item in requests), Fraction(0))
        for name in ("cpu", "memory")
    )
    return Room(cpus, memory)


def slice_type(shape: Shape, catalog: Catalog) -> dict[str, str]:
    """The variable with the size of a slice of cubes, which a plain Job sets itself."""
    generation = shape.generation
    cores = shape.chips * (catalog.generation(generation).chip.tensorcores or 1)
    return {catalog.kubernetes.pods.dynamic_slices.type_variable: f"{generation}-{cores}"}


def program(workload: Workload, own: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The fields of a container that runs the program of the plan; ``own`` are variables that we add."""
    plan = workload.plan
    return without_empty(
        image=plan.image,
        command=list(plan.command),
        args=list(plan.args),
        env=environment(plan, own),
        ports=[
            *([{"containerPort": plan.port}] if plan.port is not None else ()),
            *({"name": name, "containerPort": port} for name, port in plan.ports.items()),
        ],
    )


def server(workload: Workload) -> dict[str, Any]:
    """The fields of a container that runs the program of the plan and answers requests at its port, if it has one.

    A server first loads its model. Without a probe, its Service would send requests to it at once, and an update
    would replace the next Pod while this one cannot answer yet.
    """
    from pulumi_gke_tpu.core.plan.pods import Probe, Probes  # checks of manifests need no models of plans

    port, probes = workload.plan.port, workload.plan.probes or Probes()
    readiness = probes.readiness or (Probe() if port is not None else None)
    stated = {"startupProbe": probes.startup, "livenessProbe": probes.liveness, "readinessProbe": readiness}
    return {**program(workload), **{field: _probe(probe, port) for field, probe in stated.items() if probe}}


def _probe(probe: "Probe", port: int | None) -> dict[str, Any]:
    at = probe.port or port
    action: dict[str, Any] = {"tcpSocket": {"port": at}}
    if probe.http_path is not None:
        action = {"httpGet": {"path": probe.http_path, "port": at}}
    return {
        **action,
        **without_empty(
            # The server does not store a delay of zero, so that every later run would add it again.
            initialDelaySeconds=seconds(probe.initial_delay) or None,
            periodSeconds=seconds(probe.period),
            timeoutSeconds=seconds(probe.timeout),
            failureThreshold=probe.failure_threshold,
        ),
    }


def seconds(duration: timedelta | None) -> int | None:
    """A duration of a plan as Kubernetes writes it."""
    return int(duration.total_seconds()) if duration is not None else None


def toleration(item: Toleration) -> dict[str, Any]:
    """The toleration of a Pod."""
    if item.value is None:
        return {"key": item.key, "operator": "Exists", "effect": item.effect}
    return {"key": item.key, "operator": "Equal", "value": item.value, "effect": item.effect}


def variables(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Environment variables with fixed values."""
    return [{"name": name, "value": value} for name, value in values.items()]


def environment(plan: "WorkloadSpec", own: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    """The environment variables of the plan, after those of ours that it does not set itself."""
    ours = {name: value for name, value in (own or {}).items() if name not in plan.env | plan.env_from_secrets}
    return [*variables({**ours, **plan.env}), *secret_variables(plan.env_from_secrets)]


def secret_variables(sources: "Mapping[str, SecretKey]") -> list[dict[str, Any]]:
    """Environment variables with values from Secrets."""
    return [
        {"name": name, "valueFrom": {"secretKeyRef": {"name": source.secret, "key": source.key}}}
        for name, source in sources.items()
    ]


def variable_from(name: str, field_path: str) -> dict[str, Any]:
    """An environment variable with a field of the Pod."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": field_path}}}


def mounts(workload: Workload, shared: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    """The volume mounts of a container, and those of folders that it shares with others."""
    return [
        *(
            {"name": name, "mountPath": volume.mount, **({"readOnly": True} if _read_only(volume) else {})}
            for name, volume in workload.plan.volumes.items()
        ),
        *({"name": name, "mountPath": path} for name, path in (shared or {}).items()),
    ]


def _common(workload: Workload, restart: RestartPolicy | None) -> dict[str, Any]:
    plan = workload.plan
    return without_empty(
        restartPolicy=restart,
        priorityClassName=plan.priority,
        serviceAccountName=plan.service_account,
        **pull_secrets(plan),
        terminationGracePeriodSeconds=seconds(plan.grace_period) or None,
    )


def pull_secrets(plan: "WorkloadSpec") -> dict[str, Any]:
    """The Secrets with which the kubelet pulls images; empty if the plan names none."""
    return without_empty(imagePullSecrets=[{"name": name} for name in plan.pull_secrets])


def _additional_containers(workload: Workload) -> list[dict[str, Any]]:
    """The containers without chips. A sidecar is an init container that restarts, so that no Job waits for its end."""
    plan = workload.plan
    return [
        *(_additional_container(workload, item) for item in plan.init_containers),
        *(_additional_container(workload, item, restart="Always") for item in plan.sidecars),
    ]


def _additional_container(
    workload: Workload, item: "AdditionalContainer", *, restart: RestartPolicy | None = None
) -> dict[str, Any]:
    requests = quantities({"cpu": item.cpu, "memory": item.memory})
    limits = {name: amount for name, amount in requests.items() if name == "memory"}
    return without_empty(
        name=item.name,
        image=item.image,
        restartPolicy=restart,
        command=list(item.command),
        args=list(item.args),
        env=[*variables(item.env), *secret_variables(item.env_from_secrets)],
        resources=without_empty(requests=requests, limits=limits),
        volumeMounts=mounts(workload),
    )


def container_names(workload: Workload, catalog: Catalog) -> list[str]:
    """The names of the containers that hold the chips: one, or two where plan and machine allow it."""
    split = workload.shape.machine_type in catalog.kubernetes.workloads.containers.split_machine_types
    parts = workload.plan.containers if split and not _claims(workload, catalog) else 1
    return ["tpu"] if parts == 1 else [f"tpu-{index}" for index in range(parts)]


def _tpu_containers(
    workload: Workload, catalog: Catalog, fields: Mapping[str, Any], shared: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The containers that hold the chips: one, or two with half of the chips each where plan and machine allow it.

    With dynamic resource allocation, nodes have no resource of chips: the container has the claim of its Pod.
    """
    claims = [{"name": claim["name"]} for claim in _claims(workload, catalog)]
    names = container_names(workload, catalog)
    parts = len(names)
    chips = workload.shape.chips_per_host // parts
    cpu, memory = _requests(workload, catalog, parts)
    tpu = catalog.kubernetes.pods.resource.name
    return [
        {
            "name": name,
            **fields,
            "resources": {
                "requests": quantities({"cpu": cpu, "memory": memory, **({} if claims else {tpu: chips})}),
                **({"claims": claims} if claims else {"limits": quantities({tpu: chips})}),
            },
            **without_empty(volumeMounts=mounts(workload, shared)),
        }
        for name in names
    ]


def _claims(workload: Workload, catalog: Catalog) -> list[dict[str, str]]:
    """The resource claim of a Pod on a host whose chips the DRA driver allocates; empty on other hosts."""
    if not claims_chips(workload.group, catalog):
        return []
    return [{"name": _CLAIM, "resourceClaimTemplateName": claim_template_name(workload, catalog)}]


def _requests(workload: Workload, catalog: Catalog, parts: int) -> tuple[str, str]:
    """CPU and memory of each container: the plan's, else a share of the host."""
    cpu, memory = default_requests(workload.group, catalog)
    return (
        canonical_quantity(workload.plan.cpu or cpu, parts),
        canonical_quantity(workload.plan.memory or memory, parts),
    )


def default_requests(group: SliceGroup, catalog: Catalog) -> tuple[str, str]:
    """CPU and memory that a Pod on a TPU host requests if the plan sets none: a share of its host, rounded down."""
    machine = catalog.generation(group.shape.generation).machine_types[group.shape.machine_type]
    percent = catalog.kubernetes.workloads.requests.host_percent
    return str(max(machine.vcpu * percent // 100, 1)), f"{max(machine.memory_gib * percent // 100, 1)}Gi"


def extended_run(workload: Workload, catalog: Catalog) -> dict[str, str]:
    """The annotation of Pods that Autopilot does not evict. It excludes ComputeClasses, Spot and affinity."""
    groups, facts = workload.groups, catalog.kubernetes.workloads.extended_run
    excluded = (
        workload.cluster.mode == "standard"
        or any(group.compute_class is not None or group.plan.capacity.spot for group in groups)
        or (written_kind(workload).affinity_by_webhook and workload.shape.multi_host)
    )
    return {facts.annotation: facts.value} if workload.plan.extended_run and not excluded else {}


def _of_cubes(workload: Workload, catalog: Catalog) -> dict[str, str]:
    """The annotation with the topology of a slice that GKE forms; on a manager, also what Kueue has to place together.

    The webhooks of the slice controller add the latter on the cluster of the slices. Kueue on the workers of a manager
    places the copy of its workload, which has what the Pods had on the manager.
    """
    if not workload.dynamic:
        return {}
    facts, kueue = catalog.kubernetes.pods.dynamic_slices, catalog.kubernetes.kueue.slices
    topology = str(workload.shape.topology)
    own = {facts.annotation: topology}
    if not workload.dispatched:
        return own
    if written_kind(workload).on_cubes == "one":
        return {**own, kueue.required_topology: facts.partition_label(topology)}
    return {
        **own,
        kueue.required_topology: facts.block_label,
        kueue.slice_topology: facts.partition_label(topology),
        kueue.slice_size: str(workload.shape.hosts // max(workload.shape.chips // facts.cube_chips, 1)),
    }


def _healthy_cubes(workload: Workload, catalog: Catalog) -> dict[str, str]:
    """The label of cubes that work, which the webhooks of the slice controller add on the cluster of the slices."""
    if not workload.dynamic or not workload.dispatched:
        return {}
    label = catalog.kubernetes.pods.dynamic_slices.state_label(str(workload.shape.topology))
    return {label: catalog.kubernetes.kueue.slices.healthy}


def _of_named_slices(workload: Workload, catalog: Catalog) -> dict[str, str]:
    """The labels of slices that the plan forms itself; of several slices, JobSet selects one for each Job.

    Kueue forms a slice after it has chosen the nodes, which have no such labels before.
    """
    names = workload.slice_names
    if not names:
        return {}
    topology = {catalog.platform.names.node_labels.topology: str(workload.shape.topology)}
    return {**topology, catalog.kubernetes.pods.dynamic_slices.slice_label: names[0]} if len(names) == 1 else topology


def _nodes(workload: Workload, pool: str | None, catalog: Catalog) -> tuple[dict[str, str], dict[str, Any]]:
    """The node selector of a Pod on a TPU host, and its affinity to nodes.

    With several groups, the labels of the flavors tell their nodes from others. Kueue writes them into the node
    selector of some kinds. The API server treats it as a whole, so that it then belongs to Kueue alone, and applying
    it again would be a conflict: these Pods select by affinity what all groups share.
    """
    label = catalog.kubernetes.workloads.nodes.pool
    selector = {
        **shared_selector(workload.cluster, workload.groups_by_name, catalog),
        **_of_named_slices(workload, catalog),
        **_healthy_cubes(workload, catalog),
    }
    if pool is not None:
        return {**selector, label: pool}, {}
    if workload.fallback:
        if written_kind(workload).kueue_owns_selector:
            return {}, _node_affinity({key: [value] for key, value in selector.items()})
        return selector, {}
    pools = pool_choice(workload.cluster, workload.group, catalog)
    return selector, _node_affinity({label: list(pools)}) if pools else {}


def _node_affinity(values: Mapping[str, list[str]]) -> dict[str, Any]:
    """The affinity to nodes whose labels have one of the values of each key."""
    expressions = [{"key": key, "operator": "In", "values": allowed} for key, allowed in values.items()]
    terms = [{"matchExpressions": expressions}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def _all_tolerations(workload: Workload, catalog: Catalog) -> list[Toleration]:
    """The taints of the nodes, and that of the flavor if the workload is queued.

    Workloads outside of queues do not tolerate the taint of a flavor: Kueue rejects a new queue of a running workload,
    so joining a queue replaces it anyway, and no other workload changes when a plan gets its first queue.
    """
    groups = workload.groups_by_name
    flavors = (flavor_taint(group, catalog) for group in groups) if is_queued(workload, catalog) else ()
    return [*shared_tolerations(groups, catalog), *flavors]


def _mounting(workload: Workload, catalog: Catalog) -> dict[str, str]:
    """The annotations of Pods to which GKE adds the containers that mount their buckets and file systems.

    On Standard, the container that mounts buckets has no limits: it may use what the other containers leave of the
    host. On Autopilot, its limits are those of GKE.
    """
    facts, volumes = catalog.kubernetes.storage, workload.plan.volumes.values()
    annotations = {}
    if any(volume.bucket is not None for volume in volumes):
        annotations[facts.buckets.annotation] = _ON
        if workload.cluster.mode == "standard":
            annotations |= dict.fromkeys(facts.bucket_sidecar.limits, facts.bucket_sidecar.unlimited)
    for kind, file_system_facts in facts.file_systems.items():
        if file_system_facts.annotation and any(getattr(volume, kind) is not None for volume in volumes):
            annotations[file_system_facts.annotation] = _ON
    return annotations


def _volumes(workload: Workload, catalog: Catalog) -> list[dict[str, Any]]:
    return [
        {"name": name, **_source(workload, name, volume, catalog)} for name, volume in workload.plan.volumes.items()
    ]


def _in_memory(shared: Mapping[str, str]) -> list[dict[str, Any]]:
    return [{"name": name, "emptyDir": {"medium": "Memory"}} for name in shared]


def _source(workload: Workload, name: str, volume: "Volume", catalog: Catalog) -> dict[str, Any]:
    """What a volume contains."""
    if volume.empty_dir:
        return {"emptyDir": {}}
    if volume.host_path is not None:
        return {"hostPath": {"path": volume.host_path, "type": "DirectoryOrCreate"}}
    read_only = {"readOnly": True} if _read_only(volume) else {}
    if volume.checkpoints:
        return {"csi": {"driver": catalog.kubernetes.storage.checkpoints.driver, **read_only}}
    if volume.bucket is not None:
        facts = catalog.kubernetes.storage.buckets
        options = ",".join(_bucket_options(volume.bucket, catalog))
        attributes = {"bucketName": volume.bucket.name, **({"mountOptions": options} if options else {})}
        return {"csi": {"driver": facts.driver, **read_only, "volumeAttributes": attributes}}
    mounted = file_system(workload, name, volume, catalog)
    claim = mounted.claim if mounted is not None else volume.claim or claim_name(workload, name)
    return {"persistentVolumeClaim": {"claimName": claim, **read_only}}


def _bucket_options(bucket: "Bucket", catalog: Catalog) -> list[str]:
    facts = catalog.kubernetes.storage.buckets
    options = bucket.mount_options if bucket.written("mount_options") else facts.default_options
    folder = [f"{facts.folder_option}={bucket.path}"] if bucket.path is not None else []
    return [*options, *folder]


def _read_only(volume: "Volume") -> bool:
    return volume.read_only or (volume.disk is not None and volume.disk.access == "read_only_many")
