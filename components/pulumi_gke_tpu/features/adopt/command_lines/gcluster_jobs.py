"""``gcluster job submit``."""

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.shell.arguments import Given, Takes
from pulumi_gke_tpu.features.adopt.command_lines.draft import SliceType, whole_number
from pulumi_gke_tpu.features.adopt.command_lines.jobs import JobReading, first_zone
from pulumi_gke_tpu.features.adopt.command_lines.tpu_types import NoSliceError, gcluster_slice

SHORT: Final[Mapping[str, str]] = {
    "-i": "--image",
    "-B": "--base-image",
    "-b": "--build-context",
    "-e": "--command",
    "-o": "--dry-run-out",
    "-f": "--platform",
    "-n": "--name",
    "-q": "--queue",
    "-c": "--cluster",
    "-l": "--location",
    "-p": "--project",
}
OPTIONS: Final[Mapping[str, Takes]] = {
    **dict.fromkeys(
        SHORT.values(),
        "value",
    ),
    **dict.fromkeys(
        [
            "--compute-type",
            "--env",
            "--mount",
            "--gke-namespace",
            "--num-nodes",
            "--num-slices",
            "--restarts",
            "--gke-ttl-after-finished",
            "--grace-period",
            "--placement-policy",
            "--node-constraint",
            "--cpu-affinity",
            "--restart-on-exit-codes",
            "--image-pull-secret",
            "--service-account",
            "--topology",
            "--gke-scheduler",
            "--timeout",
            "--priority",
            "--gke-nap-provisioning",
            "--gke-nap-reservation",
            "--pathways-proxy-server-image",
            "--pathways-server-image",
            "--pathways-worker-image",
            "--pathways-gcs-location",
            "--pathways-elastic-slices",
            "--pathways-max-slice-restarts",
            "--pathways-proxy-args",
            "--pathways-server-args",
            "--pathways-worker-args",
            "--pathways-colocated-python-sidecar-image",
            "--pathways-head-np",
            "--gke-mtc-ramdisk-size",
            "--gke-mtc-ramdisk-directory",
        ],
        "value",
    ),
    **dict.fromkeys(
        [
            "--gke-disable-parallel-containers",
            "--await-job-completion",
            "--verbose",
            "--pathways",
            "--pathways-headless",
            "--gke-mtc-enabled",
        ],
        "flag",
    ),
}
LEFT_OUT: Final[Mapping[str, str]] = {
    "--base-image": "gke-tpu builds no images; build one and set `image`",
    "--build-context": "gke-tpu builds no images; build one from this directory and set `image`",
    "--platform": "gke-tpu builds no images",
    "--dry-run-out": "`gke-tpu manifests -o DIR` writes the manifests",
    "--await-job-completion": "it only controls how long the command waits",
    "--timeout": "it only controls how long the command waits; `deadline` ends a workload",
    "--cpu-affinity": "a plan does not set it; `pod_template` has the fields of a Pod",
    "--placement-policy": "the node pools of the slices have the policy: `placement` of the slice group",
    "--verbose": "set the variables of libtpu in `env`",
    "--pathways-head-np": "the head runs on `cpu_pools` of the cluster",
    "--gke-mtc-ramdisk-directory": "a volume with `checkpoints: true` has it, where the cluster has `checkpoints`",
    "--gke-mtc-ramdisk-size": "`checkpoints` of the cluster has the size",
    "--gke-mtc-enabled": "a volume with `checkpoints: true` uses multi-tier checkpointing",
}
_ARGUMENTS: Final = {
    "--pathways-server-args": "resource_manager",
    "--pathways-proxy-args": "proxy",
    "--pathways-worker-args": "worker",
}
_ZONE = lazy_pattern(r"[a-z]+-[a-z]+\d+-[a-z0-9]+\Z", re.ASCII)


class GclusterJob(JobReading):
    """One command that submits a job."""

    def read(self) -> None:
        """Add the workload to the plan."""
        self.facts = self.draft.catalog.other_tools.gcluster
        workload = self.job_name("--name")
        cluster = self.arguments.value("--cluster") or next(iter(self.draft.clusters), "")
        if not cluster:
            self.text("--cluster", "name of the cluster")
        self.report_unknown()
        if not workload or not cluster:
            return
        self.name_job(workload, cluster)
        created = self.draft.clusters.get(cluster, {})
        project = self.draft.project if created and not self.arguments.last("--project") else self.project()
        zone, location = self._location(created)
        kind_of = self.arguments.last("--compute-type")
        if kind_of is None:
            self.problem("no compute type", fix="add --compute-type to the command")
            return
        if not project or not zone or not self.known(kind_of):
            return
        try:
            kind = gcluster_slice(self.draft.catalog, kind_of.value, self.arguments.value("--topology"))
        except NoSliceError as error:
            self.problem(str(error), kind_of, "add --topology to the command")
            return
        self._job(kind, zone, location, project)

    def _job(self, kind: SliceType, zone: str, location: str, project: str) -> None:
        self.place(location, project)
        count = max(self.number("--num-slices", 1), 1)
        self.set("slices", self.group(kind, zone, count, self._capacity()))
        self.is_pathways = self.arguments.has("--pathways")
        self.set("kind", "pathways" if self.is_pathways else "jobset")
        if count > 1:
            self.set("count", count)
        self._program()
        most = self.facts.parallel_containers.get(kind.generation, 1)
        if most > 1 and not self.is_pathways and not self.arguments.has("--gke-disable-parallel-containers"):
            self.set("containers", most)
        self.queue(self.arguments.value("--queue") or self.facts.queue)
        for item in self.each():
            if not item.problem or item.option == "--name":
                self._option(item)
            elif item.option not in ("--cluster", "--project", "--location", "--compute-type"):
                self.known(item)
        self._implied()

    def _location(self, created: Mapping[str, Any]) -> tuple[str, str]:
        """The zone of the slices and the location of the cluster; empty with a problem."""
        given = self.arguments.last("--location")
        zone = first_zone(created)
        if given and not self.known(given):
            return "", ""
        location = given.value if given else ""
        zone = zone or (location if _ZONE.match(location) else self.draft.default_zone)
        if not zone:
            self.problem("no zone for the slices", given, "add --zone ZONE to gke-tpu adopt")
        return zone, location or region_of(zone)

    def _capacity(self) -> object:
        reservation = self.arguments.value("--gke-nap-reservation")
        if reservation:
            return {"reservation": reservation}
        mode = self.arguments.value("--gke-nap-provisioning")
        return {"on-demand": "on_demand", "spot": "spot"}.get(mode)

    def _program(self) -> None:
        image = self.arguments.value("--image") or self.arguments.value("--base-image")
        headless = self.arguments.has("--pathways-headless")
        if image:
            self.set("image", image)
        elif not headless:
            self.problem("no image", fix="add --image to the command")
        command = self.arguments.last("--command")
        if command and not command.problem:
            self.set("command", ["/bin/bash", "-c"])
            self.set("args", [command.value])

    def _option(self, given: Given) -> None:
        if given.option in ("--project", "--env", "--mount"):
            return
        if given.option in LEFT_OUT:
            self.row(given, "left out", reason=LEFT_OUT[given.option])
        elif OPTIONS[given.option] == "flag" and given.value == "false":
            self.row(given, "left out", reason="it is the default")
        else:
            self._handlers[given.option](self, given)

    def _implied(self) -> None:
        self.environment("--env")
        self._mounts()
        if not self.arguments.last("--restarts"):
            self.set("max_restarts", self.facts.max_restarts)
            key = ".".join(("clusters", self.cluster, *self.path("max_restarts")))
            self.implied("(restarts)", str(self.facts.max_restarts), "key", key=key)
        if not self.arguments.last("--gke-ttl-after-finished"):
            self.set("ttl", self.facts.ttl)
            key = ".".join(("clusters", self.cluster, *self.path("ttl")))
            self.implied("(ttl)", self.facts.ttl, "key", key=key)

    def _mounts(self) -> None:
        """Each --mount SOURCE:TARGET[:ro|rw] with options behind semicolons or commas, which are left out."""
        for index, given in enumerate(self.all_of("--mount"), 1):
            if not self.known(given):
                continue
            source, _, rest = given.value.partition(":/") if "://" not in given.value else _behind_scheme(given.value)
            target, _, mode = rest.partition(":")
            if not source or not target:
                self.problem("a mount is SOURCE:TARGET[:MODE]", given)
                continue
            volume: dict[str, object] = {"mount": f"/{target.lstrip('/')}"}
            if not mode.startswith("rw"):
                volume["read_only"] = True
            if source.startswith("gs://"):
                bucket, _, path = source.removeprefix("gs://").partition("/")
                volume["bucket"] = {"name": bucket} | ({"path": path.strip("/")} if path.strip("/") else {})
            elif source.startswith("filestore://"):
                reason = "the plan needs the IP address of the instance; add a volume with `filestore`"
                self.row(given, "left out", reason=reason)
                continue
            elif source.startswith("/"):
                volume["host_path"] = source
            else:
                volume["claim"] = source
            left = mode.partition(",")[2] or mode.partition(";")[2]
            self.job_key(given, ("volumes", f"mount-{index}"), volume, f"without {left}" if left else "")

    # The options, each with what it becomes.

    def _cluster(self, given: Given) -> None:
        self.row(given, "key", key=f"clusters.{self.cluster}")

    def _location_row(self, given: Given) -> None:
        part = "existing" if "existing" in self.draft.clusters[self.cluster] else "location"
        self.row(given, "key", key=f"clusters.{self.cluster}.{part}")

    def _part(self, given: Given) -> None:
        self.job_row(given, _PARTS[given.option])

    def _nodes(self, given: Given) -> None:
        self.row(given, "derived", reason="the number of hosts follows from the topology")

    def _namespace(self, given: Given) -> None:
        self.job_key(given, "namespace", given.value)

    def _restarts(self, given: Given) -> None:
        self.job_key(given, "max_restarts", self.number(given.option, 0))

    def _ttl(self, given: Given) -> None:
        self.job_key(given, "ttl", _duration(given.value))

    def _grace(self, given: Given) -> None:
        self.job_key(given, "grace_period", _duration(given.value))

    def _constraint(self, given: Given) -> None:
        for item in self.all_of(given.option):
            for pair in item.value.split(","):
                name, _, value = pair.partition("=")
                shown = Given(given.option, pair, item.line, item.column)
                self.job_key(shown, ("pod_template", "spec", "nodeSelector", name), value)

    def _exit_codes(self, given: Given) -> None:
        codes = [code.strip() for item in self.all_of(given.option) for code in item.value.split(",")]
        numbers = [number for code in codes if (number := whole_number(code)) is not None]
        if len(numbers) != len(codes):
            self.problem(f"the value of `{given.option}` is not a list of exit codes", given)
        else:
            self.job_key(given, "exit_codes.restart", sorted(set(numbers)))

    def _secrets(self, given: Given) -> None:
        self.job_key(given, "pull_secrets", [name.strip() for name in given.value.split(",") if name.strip()])

    def _account(self, given: Given) -> None:
        self.job_key(given, "service_account", given.value)

    def _scheduler(self, given: Given) -> None:
        self.job_key(given, "pod_template.spec.schedulerName", given.value)

    def _priority(self, given: Given) -> None:
        self.priority(given)

    def _parallel(self, given: Given) -> None:
        self.row(given, "derived", reason="the workload has one container on each host")

    def _provisioning(self, given: Given) -> None:
        self.row(given, "derived", reason="the capacity of a workload is the one of its slices")

    def _pathways(self, given: Given, path: str, value: object) -> None:
        if self.is_pathways:
            self.job_key(given, path, value)
        else:
            self.row(given, "left out", reason="the workload does not use Pathways")

    def _pathways_text(self, given: Given) -> None:
        self._pathways(given, _PATHWAYS[given.option], given.value)

    def _headless(self, given: Given) -> None:
        self._pathways(given, "pathways.headless", True)

    def _elastic(self, given: Given) -> None:
        slices = self.number("--pathways-elastic-slices", 0)
        if not slices:
            self.row(given, "left out", reason="without --pathways-elastic-slices no slice may be missing")
        elif given.option == "--pathways-elastic-slices":
            self._pathways(given, "pathways.elastic.slices", slices)
            if self.is_pathways and not self.arguments.last("--pathways-max-slice-restarts"):
                self.set("pathways.elastic.max_restarts", 1)
        else:
            self._pathways(given, "pathways.elastic.max_restarts", max(self.number(given.option, 1), 1))

    def _server_arguments(self, given: Given) -> None:
        try:
            words = shlex.split(given.value)
        except ValueError:
            self.problem(f"`{given.option}` has a quote that is not closed", given)
            return
        self._pathways(given, f"pathways.{_ARGUMENTS[given.option]}.args", words)

    _handlers: ClassVar[Mapping[str, Callable[["GclusterJob", Given], None]]] = {
        "--name": JobReading.name_row,
        "--cluster": _cluster,
        "--location": _location_row,
        **dict.fromkeys(
            ("--image", "--command", "--compute-type", "--topology", "--num-slices", "--queue", "--pathways"), _part
        ),
        "--num-nodes": _nodes,
        "--gke-namespace": _namespace,
        "--restarts": _restarts,
        "--gke-ttl-after-finished": _ttl,
        "--grace-period": _grace,
        "--node-constraint": _constraint,
        "--restart-on-exit-codes": _exit_codes,
        "--image-pull-secret": _secrets,
        "--service-account": _account,
        "--gke-scheduler": _scheduler,
        "--priority": _priority,
        "--gke-disable-parallel-containers": _parallel,
        "--gke-nap-provisioning": _provisioning,
        "--gke-nap-reservation": _provisioning,
        **dict.fromkeys(
            [
                "--pathways-proxy-server-image",
                "--pathways-server-image",
                "--pathways-worker-image",
                "--pathways-gcs-location",
                "--pathways-colocated-python-sidecar-image",
            ],
            _pathways_text,
        ),
        "--pathways-headless": _headless,
        "--pathways-elastic-slices": _elastic,
        "--pathways-max-slice-restarts": _elastic,
        **dict.fromkeys(_ARGUMENTS, _server_arguments),
    }


_PARTS: Final = {
    "--image": "image",
    "--command": "{command,args}",
    "--compute-type": "slices",
    "--topology": "slices",
    "--num-slices": "count",
    "--queue": "queue",
    "--pathways": "kind",
}
_PATHWAYS: Final = {
    "--pathways-proxy-server-image": "pathways.proxy.image",
    "--pathways-server-image": "pathways.resource_manager.image",
    "--pathways-worker-image": "pathways.worker.image",
    "--pathways-gcs-location": "scratch",
    "--pathways-colocated-python-sidecar-image": "pathways.python_sidecar.image",
}


def _behind_scheme(text: str) -> tuple[str, str, str]:
    scheme, _, rest = text.partition("://")
    source, separator, target = rest.partition(":/")
    return f"{scheme}://{source}", separator, target


def _duration(text: str) -> str:
    """A number alone is a number of seconds."""
    return f"{text}s" if whole_number(text) is not None else text
