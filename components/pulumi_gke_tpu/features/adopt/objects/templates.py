"""The keys of a workload that follow from a Pod template.

Commands, arguments and values of environment variables can hold secrets. They are only read if the caller asks for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import SliceGroup
from pulumi_gke_tpu.core.kinds.pods import default_requests
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.quantity import canonical_quantity, parse_quantity
from pulumi_gke_tpu.features.adopt.objects.comparison import ABSENT, ObjectDifference
from pulumi_gke_tpu.features.adopt.objects.proposals import NoKeysError, shortest

_ALWAYS = "Always"
_DEFAULT_GRACE = 30
ADDED_TO_PODS = frozenset(
    {
        *("dnsPolicy", "enableServiceLinks", "hostIPC", "hostNetwork", "hostPID", "runtimeClassName", "schedulerName"),
        *("securityContext", "shareProcessNamespace", "topologySpreadConstraints", "automountServiceAccountToken"),
    }
)
"""The fields of Pods that `pod_template` takes over: they cannot hold secrets."""
ADDED_TO_CONTAINERS = frozenset({"imagePullPolicy", "securityContext", "workingDir"})


class TemplateKeys:
    """Reads the keys of one Pod template for the slices of a group."""

    def __init__(
        self, template: PodTemplate, catalog: Catalog, *, commands: bool, derived: Mapping[str, str] | None = None
    ) -> None:
        self.catalog = catalog
        self._derived = (derived or {}).items()
        """The variables that gke-tpu sets itself."""
        self._spec = template.spec
        self._metadata = template.metadata
        self._commands = commands
        self._containers: list[dict[str, Any]] = [one.data for one in template.containers()]

    def keys(self, group: SliceGroup) -> dict[str, Any]:
        """The keys of the Pods."""
        if not self._containers:
            raise NoKeysError("it has no containers")
        first = self._containers[0]
        spec = self._spec
        initial = [mapping(one) for one in items(spec.get("initContainers"))]
        grace = spec.get("terminationGracePeriodSeconds")
        extended = self.catalog.kubernetes.workloads.extended_run
        annotations = mapping(self._metadata.get("annotations"))
        return shortest(
            **self._program(first),
            **self._requests(group),
            containers=len(self._containers) if len(self._containers) > 1 else None,
            init_containers=[self._additional(one) for one in initial if one.get("restartPolicy") != _ALWAYS],
            sidecars=[self._additional(one) for one in initial if one.get("restartPolicy") == _ALWAYS],
            pull_secrets=[text(mapping(one).get("name")) for one in items(spec.get("imagePullSecrets"))],
            priority=text(spec.get("priorityClassName")),
            grace_period=duration(grace) if grace != _DEFAULT_GRACE else None,
            extended_run=annotations.get(extended.annotation) == extended.value or None,
            service_account=text(spec.get("serviceAccountName")),
            volumes=self._volumes(first),
        )

    def _program(self, container: Mapping[str, Any]) -> dict[str, Any]:
        """Image, command and environment."""
        env = [mapping(one) for one in items(container.get("env"))]
        pairs = [(text(one.get("name")), one["value"]) for one in env if "value" in one]
        values = dict(pair for pair in pairs if pair not in self._derived)
        command, args = items(container.get("command")), items(container.get("args"))
        if (values or command or args) and not self._commands:
            raise NoKeysError("its command, arguments or environment can hold a secret; --with-commands adopts it")
        secrets = {text(one.get("name")): _secret(one) for one in env if "valueFrom" in one}
        return shortest(
            image=text(container.get("image")),
            command=list(command),
            args=list(args),
            env=values,
            env_from_secrets={name: source for name, source in secrets.items() if source},
        )

    def head(self) -> dict[str, Any]:
        """Image, command and requests of a Pod without chips."""
        if not self._containers:
            return {}
        requests = mapping(mapping(self._containers[0].get("resources")).get("requests"))
        return shortest(**self._program(self._containers[0]), cpu=requests.get("cpu"), memory=requests.get("memory"))

    def _additional(self, container: Mapping[str, Any]) -> dict[str, Any]:
        requests = mapping(mapping(container.get("resources")).get("requests"))
        return shortest(
            name=text(container.get("name")),
            **self._program(container),
            cpu=requests.get("cpu"),
            memory=requests.get("memory"),
        )

    def _requests(self, group: SliceGroup) -> dict[str, Any]:
        """CPU and memory of all containers together, unless they are those of a Pod that states none."""
        parts = len(self._containers)
        requests = mapping(mapping(self._containers[0].get("resources")).get("requests"))
        found = {}
        for name, usual in zip(("cpu", "memory"), default_requests(group, self.catalog), strict=True):
            amount = requests.get(name)
            if not isinstance(amount, str | int) or isinstance(amount, bool):
                continue
            if parse_quantity(amount) is not None and str(amount) != canonical_quantity(usual, parts):
                found[name] = amount if parts == 1 else _times(amount, parts)
        return found

    def ports(self) -> tuple[int | None, dict[str, int]]:
        """The port without a name, and the others by name."""
        own: int | None = None
        named: dict[str, int] = {}
        for entry in map(mapping, items(self._containers[0].get("ports")) if self._containers else ()):
            number, name = entry.get("containerPort"), text(entry.get("name"))
            if not isinstance(number, int) or isinstance(number, bool):
                continue
            if name:
                named[name] = number
            elif own is None:
                own = number
        return own, named

    def probes(self, port: int | None) -> dict[str, Any]:
        """The probes, without the one that a port has of itself."""
        found = {}
        for key, field in (("readiness", "readinessProbe"), ("startup", "startupProbe"), ("liveness", "livenessProbe")):
            probe = mapping(self._containers[0].get(field)) if self._containers else {}
            keys = _probe(probe, port) if probe else {}
            if keys or (probe and (key != "readiness" or port is None)):
                found[key] = keys
        return found

    def _volumes(self, container: Mapping[str, Any]) -> dict[str, Any]:
        """The volumes that the first container mounts."""
        mounts = {text(one.get("name")): one for one in map(mapping, items(container.get("volumeMounts")))}
        found = {}
        for volume in map(mapping, items(self._spec.get("volumes"))):
            name = text(volume.get("name"))
            mount, source = mounts.get(name), self._source(volume)
            if mount is not None and source:
                read_only = {"read_only": True} if mount.get("readOnly") is True else {}
                found[name] = {"mount": text(mount.get("mountPath")), **read_only, **source}
        return found

    def _source(self, volume: Mapping[str, Any]) -> dict[str, Any]:
        storage = self.catalog.kubernetes.storage
        if volume.get("emptyDir") == {}:
            return {"empty_dir": True}
        if isinstance(volume.get("hostPath"), dict):
            return {"host_path": text(volume["hostPath"].get("path"))}
        if isinstance(volume.get("persistentVolumeClaim"), dict):
            return {"claim": text(volume["persistentVolumeClaim"].get("claimName"))}
        csi = mapping(volume.get("csi"))
        if csi.get("driver") == storage.checkpoints.driver:
            return {"checkpoints": True}
        if csi.get("driver") != storage.buckets.driver:
            return {}
        attributes = mapping(csi.get("volumeAttributes"))
        options = [one for one in text(attributes.get("mountOptions")).split(",") if one]
        folder = f"{storage.buckets.folder_option}="
        paths = [one.removeprefix(folder) for one in options if one.startswith(folder)]
        others = [one for one in options if not one.startswith(folder)]
        keys: dict[str, Any] = {"name": text(attributes.get("bucketName"))}
        if paths:
            keys["path"] = paths[0]
        if others != list(storage.buckets.default_options):
            keys["mount_options"] = others
        return {"bucket": keys}


def pod_additions(item: KubernetesObject, template: Path, differences: Iterable[ObjectDifference]) -> dict[str, Any]:
    """The fields of the specification of Pods that only the given object has, as far as `pod_template` takes them."""
    spec = (*template, "spec")
    added: dict[str, Any] = {}
    containers: dict[str, dict[str, Any]] = {}
    for one in differences:
        if one.rendered is not ABSENT or one.path[: len(spec)] != spec:
            continue
        match one.path[len(spec) :]:
            case (str(key),) if key in ADDED_TO_PODS:
                added[key] = item.value(*one.path)
            case ("containers", int(index), str(key)) if key in ADDED_TO_CONTAINERS:
                name = text(mapping(item.value(*spec, "containers", index)).get("name"))
                containers.setdefault(name, {"name": name})[key] = item.value(*one.path)
    return {**added, **({"containers": list(containers.values())} if containers else {})}


def duration(seconds: object) -> str | None:
    """A number of seconds as a plan writes it; None if it is not one."""
    if not isinstance(seconds, int) or isinstance(seconds, bool) or not 0 <= seconds < timedelta.max.total_seconds():
        return None
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def exit_codes(rules: Sequence[object]) -> dict[str, list[Any]]:
    """The exit codes in the rules of a Pod failure policy."""
    for rule in map(mapping, rules):
        codes = mapping(rule.get("onExitCodes"))
        if codes:
            return {"fail" if codes.get("operator") == "In" else "restart": list(items(codes.get("values")))}
    return {}


def _secret(variable: Mapping[str, Any]) -> dict[str, str]:
    source = mapping(mapping(variable.get("valueFrom")).get("secretKeyRef"))
    return {"secret": text(source.get("name")), "key": text(source.get("key"))} if source else {}


def _times(amount: str | int, parts: int) -> str:
    """An amount several times, in the unit that it has."""
    whole = str(amount)
    digits = whole.rstrip("EPTGMKikm")
    return f"{int(digits) * parts}{whole[len(digits) :]}" if digits.isdecimal() else whole


def _probe(probe: Mapping[str, Any], port: int | None) -> dict[str, Any]:
    http, tcp = mapping(probe.get("httpGet")), mapping(probe.get("tcpSocket"))
    at = (http or tcp).get("port")
    seconds = {"initial_delay": "initialDelaySeconds", "period": "periodSeconds", "timeout": "timeoutSeconds"}
    usual = {"period": 10, "timeout": 1, "initial_delay": 0}
    times = {
        key: duration(probe.get(field)) for key, field in seconds.items() if probe.get(field, usual[key]) != usual[key]
    }
    failures = probe.get("failureThreshold", 3)
    return shortest(
        http_path=text(http.get("path")),
        port=at if at != port else None,
        **times,
        failure_threshold=failures if failures != 3 else None,  # noqa: PLR2004 - the default of Kubernetes
    )
