"""``xpk workload create`` and ``create-pathways``."""

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.shell.arguments import Given, Takes
from pulumi_gke_tpu.features.adopt.command_lines.draft import whole_number
from pulumi_gke_tpu.features.adopt.command_lines.jobs import JobReading, first_zone
from pulumi_gke_tpu.features.adopt.command_lines.tpu_types import NoSliceError, xpk_slice

_CODES = lazy_pattern(r"[\d\s,]*\d[\d\s,]*\Z", re.ASCII)
_CLIENT: Final = "it only controls how the command runs"
_TENSORBOARD: Final = "Vertex AI TensorBoard is not a resource of the cluster"

LEFT_OUT: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("--quiet", "--dry-run", "--skip-validation", "--sandbox-kubeconfig", "--dependency-auto-download", "--force"),
        _CLIENT,
    ),
    "--timeout": "it only controls how long the command waits; `deadline` ends a workload",
    "--wait-for-job-completion": "it only controls how long the command waits",
    "--output-manifest-file": "`gke-tpu manifests -o DIR` writes the manifests",
    "--docker-name": "gke-tpu names the container after the workload",
    "--env-file": "gke-tpu does not read this file, which often contains secrets; add its entries to `env`",
    "--script-dir": "gke-tpu builds no images; build one from this directory and set `image`",
    "--debug-dump-gcs": "the command of the image has to upload the dump; set XLA_FLAGS in `env`",
    "--deploy-stacktrace-sidecar": "the plan has no such sidecar; add one to `sidecars`",
    "--use-vertex-tensorboard": _TENSORBOARD,
    "--experiment-name": _TENSORBOARD,
    "--project-number": "gke-tpu does not need it",
}

OPTIONS: Final[Mapping[str, Takes]] = {
    **dict.fromkeys(
        [
            "--workload",
            "--cluster",
            "--project",
            "--project-number",
            "--zone",
            "--tpu-type",
            "--device-type",
            "--command",
            "--num-slices",
            "--num-nodes",
            "--priority",
            "--max-restarts",
            "--restart-on-exit-codes",
            "--ttl-seconds-after-finished",
            "--termination-grace-period-seconds",
            "--docker-image",
            "--docker-name",
            "--docker-image-pull-secret",
            "--base-docker-image",
            "--script-dir",
            "--env",
            "--env-file",
            "--storage",
            "--scheduler",
            "--ramdisk-directory",
            "--debug-dump-gcs",
            "--experiment-name",
            "--output-manifest-file",
            "--service-account",
            "--colocated-python-sidecar-image",
            "--timeout",
            "--wait-for-job-completion",
            "--reservation",
            "--proxy-server-image",
            "--server-image",
            "--pathways-gcs-location",
            "--custom-pathways-server-args",
            "--custom-pathways-proxy-server-args",
            "--custom-pathways-worker-args",
            "--elastic-slices",
            "--max-slice-restarts",
        ],
        "value",
    ),
    **dict.fromkeys(
        [
            "--use-parallel-containers",
            "--mtc-enabled",
            "--deploy-stacktrace-sidecar",
            "--enable-debug-logs",
            "--use-pathways",
            "--use-vertex-tensorboard",
            "--spot",
            "--on-demand",
            "--flex",
            "--headless",
            "--force",
            "--quiet",
            "--dry-run",
            "--skip-validation",
            "--sandbox-kubeconfig",
            "--dependency-auto-download",
        ],
        "flag",
    ),
}

_ARGUMENTS: Final = {
    "--custom-pathways-server-args": "resource_manager",
    "--custom-pathways-proxy-server-args": "proxy",
    "--custom-pathways-worker-args": "worker",
}


class XpkWorkload(JobReading):
    """One command that creates a workload."""

    def read(self) -> None:
        """Add the workload to the plan."""
        self.facts = self.draft.catalog.other_tools.xpk
        workload = self.job_name("--workload")
        cluster = self.text("--cluster", "name of the cluster")
        created = self.draft.clusters.get(cluster, {})
        self.report_unknown()
        if not workload or not cluster:
            return
        self.name_job(workload, cluster)
        project = self.draft.project if created and not self.arguments.last("--project") else self.project()
        zone = self._place_of(created)
        given = self.arguments.last("--tpu-type") or self.arguments.last("--device-type")
        if given is None:
            self.problem("no TPU type", fix="add --tpu-type to the command")
            return
        if not project or not zone or not self.known(given):
            return
        try:
            kind = xpk_slice(self.draft.catalog, given.value)
        except NoSliceError as error:
            self.problem(str(error), given)
            return
        self.place(region_of(zone), project)
        count = max(self.number("--num-slices", 1), 1)
        group = self.group(kind, zone, count, self._capacity())
        self.set("slices", group)
        self.is_pathways = "pathways" in self.name or self.arguments.has("--use-pathways")
        self.set("kind", "pathways" if self.is_pathways else "jobset")
        if count > 1:
            self.set("count", count)
        self._image()
        self._command()
        if not self.is_pathways:
            self._containers(kind.generation)
        self.queue(self.facts.queue)
        for item in self.each():
            if not item.problem or item.option == "--workload":
                self._option(item)
            elif item.option not in ("--cluster", "--project", "--zone", "--tpu-type", "--device-type"):
                self.known(item)
        self._implied()

    def _place_of(self, created: Mapping[str, Any]) -> str:
        zone = "" if self.arguments.last("--zone") else first_zone(created)
        return zone or self.zone()

    def _capacity(self) -> object:
        for option, capacity in (("--spot", "spot"), ("--flex", "flex_start"), ("--on-demand", "on_demand")):
            if self.arguments.has(option):
                return capacity
        reservation = self.arguments.value("--reservation")
        return {"reservation": reservation} if reservation else None

    def _image(self) -> None:
        image = self.arguments.last("--docker-image")
        base = self.arguments.last("--base-docker-image")
        if image is None and self.arguments.has("--headless"):
            return
        if image is not None:
            if not image.problem:
                self.set("image", image.value)
            return
        self.set("image", base.value if base and not base.problem else self.facts.image)
        if base is None:
            self.implied(
                "(image)",
                self.facts.image,
                "key",
                key=f"clusters.{self.cluster}.kubernetes.workloads.{self.workload}.image",
                reason="xpk builds an image from this one and the current directory; build it and set `image`",
            )

    def _command(self) -> None:
        given = self.arguments.last("--command")
        if given is None:
            if not self.arguments.has("--headless"):
                self.problem("no command for the workload", fix="add --command to the xpk command")
            return
        if not given.problem:
            self.set("command", ["bash", "-c"])
            self.set("args", [given.value])

    def _containers(self, generation: str) -> None:
        most = self.facts.parallel_containers.get(generation, 1)
        given = self.arguments.last("--use-parallel-containers")
        if most > 1 and (given is None or given.value == "true"):
            self.set("containers", most)

    def _option(self, given: Given) -> None:
        option = given.option
        if option in ("--project", "--env"):
            return
        if option in LEFT_OUT:
            self.row(given, "left out", reason=LEFT_OUT[option])
        elif OPTIONS[option] == "flag" and given.value == "false" and option != "--use-parallel-containers":
            self.row(given, "left out", reason="it is the default")
        else:
            self._handlers[option](self, given)

    def _implied(self) -> None:
        self.environment("--env")
        path = f"clusters.{self.cluster}.kubernetes.workloads.{self.workload}"
        self.implied("(queue)", self.facts.queue, "key", key=f"{path}.queue")
        if not self.arguments.last("--ttl-seconds-after-finished") and not self.is_pathways:
            self.set("ttl", self.facts.ttl)
            self.implied("(ttl)", self.facts.ttl, "key", key=f"{path}.ttl")
        if not self.arguments.last("--priority"):
            classes = self.draft.catalog.other_tools.priority_classes.values
            name = self.facts.priority
            self.draft.put(self.cluster, f"kubernetes.priority_classes.{name}", {"value": classes[name]})
            self.set("priority", name)
            self.implied("(priority)", name, "key", key=f"{path}.priority")
        if self.is_pathways and not self.arguments.last("--pathways-gcs-location"):
            self.set("scratch", self.facts.pathways_scratch)
            self.implied("(scratch)", self.facts.pathways_scratch, "key", key=f"{path}.scratch")

    # The options, each with what it becomes.

    def _cluster(self, given: Given) -> None:
        self.row(given, "key", key=f"clusters.{self.cluster}")

    def _zone(self, given: Given) -> None:
        self.row(given, "derived", reason="the zone is the one of the slices")

    def _type(self, given: Given) -> None:
        if given.option == "--device-type" and self.arguments.last("--tpu-type"):
            self.row(given, "left out", reason="--tpu-type states the type")
        else:
            self.job_row(given, "slices")

    def _given_image(self, given: Given) -> None:
        self.job_row(given, "image")

    def _base_image(self, given: Given) -> None:
        if self.arguments.last("--docker-image"):
            self.row(given, "left out", reason="--docker-image states the image")
        else:
            self.job_row(given, "image", "xpk adds a directory to it; build an image with that directory")

    def _given_command(self, given: Given) -> None:
        self.job_row(given, "{command,args}")

    def _count(self, given: Given) -> None:
        self.job_row(given, "count")

    def _nodes(self, given: Given) -> None:
        self.row(given, "derived", reason="the number of hosts follows from the topology")

    def _priority(self, given: Given) -> None:
        self.priority(given)

    def _restarts(self, given: Given) -> None:
        restarts = self.number(given.option, 0)
        reason = ""
        if restarts and not self.arguments.last("--restart-on-exit-codes"):
            reason = (
                "xpk starts a workload again only after exit codes 42 and 127 to 255; set `exit_codes` for the same"
            )
        self.job_key(given, "max_restarts", restarts, reason)

    def _exit_codes(self, given: Given) -> None:
        if not _CODES.match(given.value):
            self.problem(f"the value of `{given.option}` is not a list of exit codes", given)
            return
        codes = {number for code in re.split(r"[\s,]+", given.value) if (number := whole_number(code)) is not None}
        if not self.number("--max-restarts", 0):
            self.row(given, "left out", reason="without --max-restarts the workload never starts again")
            return
        for first, last in self.facts.restarting_exit_codes:
            codes.update(range(first, last + 1))
        self.job_key(given, "exit_codes.restart", sorted(codes), "with the codes that xpk adds")

    def _ttl(self, given: Given) -> None:
        ttl = self.seconds(given)
        if ttl:
            self.job_key(given, "ttl", ttl)

    def _grace(self, given: Given) -> None:
        grace = self.seconds(given)
        if grace:
            self.job_key(given, "grace_period", grace)

    def _secret(self, given: Given) -> None:
        self.job_key(given, "pull_secrets", [given.value])

    def _account(self, given: Given) -> None:
        self.job_key(given, "service_account", given.value)

    def _storages(self, given: Given) -> None:
        for item in self.all_of(given.option):
            if not self.known(item):
                continue
            volume = self.draft.storages.get((self.cluster, item.value))
            if volume is None:
                reason = "no command attaches this storage; add a volume with its claim to `volumes`"
                self.row(item, "left out", reason=reason)
            else:
                self.job_key(item, ("volumes", item.value), dict(volume))

    def _scheduler(self, given: Given) -> None:
        if given.value == "default-scheduler":
            self.row(given, "derived", reason="it is the default of Kubernetes")
        else:
            self.job_key(given, "pod_template.spec.schedulerName", given.value)

    def _parallel(self, given: Given) -> None:
        job = self.draft.clusters[self.cluster]["kubernetes"]["workloads"][self.workload]
        if "containers" in job:
            self.job_row(given, "containers")
        else:
            self.row(given, "derived", reason="the workload has one container on each host")

    def _capacity_option(self, given: Given) -> None:
        self.row(given, "derived", reason="the capacity of a workload is the one of its slices")

    def _ramdisk(self, given: Given) -> None:
        if not given.value:
            self.row(given, "left out", reason="it is the default")
        elif self.draft.clusters[self.cluster].get("kubernetes", {}).get("checkpoints"):
            self.job_key(given, "volumes.checkpoints", {"mount": f"/{given.value.strip('/')}", "checkpoints": True})
        else:
            self.row(given, "left out", reason="it needs `checkpoints` of the cluster, as --enable-mtc sets them")

    def _mtc(self, given: Given) -> None:
        self.row(given, "derived", reason="a volume with `checkpoints: true` uses multi-tier checkpointing")

    def _debug(self, given: Given) -> None:
        for name, value in self.facts.debug_variables.items():
            self.set(("env", name), value)
        self.job_row(given, "env")

    def _use_pathways(self, given: Given) -> None:
        self.job_row(given, "kind")

    def _pathways(self, given: Given, path: str, value: object) -> None:
        if self.is_pathways:
            self.job_key(given, path, value)
        else:
            self.row(given, "left out", reason="the workload does not use Pathways")

    def _headless(self, given: Given) -> None:
        self._pathways(given, "pathways.headless", True)

    def _proxy_image(self, given: Given) -> None:
        self._pathways(given, "pathways.proxy.image", given.value)

    def _server_image(self, given: Given) -> None:
        self._pathways(given, "pathways.resource_manager.image", given.value)
        if self.is_pathways:
            self.job_key(given, "pathways.worker.image", given.value)

    def _scratch(self, given: Given) -> None:
        self._pathways(given, "scratch", given.value)

    def _server_arguments(self, given: Given) -> None:
        try:
            words = shlex.split(given.value)
        except ValueError:
            self.problem(f"`{given.option}` has a quote that is not closed", given)
            return
        self._pathways(given, f"pathways.{_ARGUMENTS[given.option]}.args", words)

    def _elastic(self, given: Given) -> None:
        slices = self.number("--elastic-slices", 0)
        if not slices:
            self.row(given, "left out", reason="without --elastic-slices no slice may be missing")
        elif given.option == "--elastic-slices":
            self._pathways(given, "pathways.elastic.slices", slices)
            if not self.arguments.last("--max-slice-restarts") and self.is_pathways:
                self.set("pathways.elastic.max_restarts", 1)
        else:
            self._pathways(given, "pathways.elastic.max_restarts", self.number(given.option, 1))

    def _python_sidecar(self, given: Given) -> None:
        self._pathways(given, "pathways.python_sidecar.image", given.value)

    _handlers: ClassVar[Mapping[str, Callable[["XpkWorkload", Given], None]]] = {
        "--workload": JobReading.name_row,
        "--cluster": _cluster,
        "--zone": _zone,
        "--tpu-type": _type,
        "--device-type": _type,
        "--docker-image": _given_image,
        "--base-docker-image": _base_image,
        "--command": _given_command,
        "--num-slices": _count,
        "--num-nodes": _nodes,
        "--priority": _priority,
        "--max-restarts": _restarts,
        "--restart-on-exit-codes": _exit_codes,
        "--ttl-seconds-after-finished": _ttl,
        "--termination-grace-period-seconds": _grace,
        "--docker-image-pull-secret": _secret,
        "--service-account": _account,
        "--storage": _storages,
        "--scheduler": _scheduler,
        "--use-parallel-containers": _parallel,
        **dict.fromkeys(("--spot", "--on-demand", "--flex", "--reservation"), _capacity_option),
        "--ramdisk-directory": _ramdisk,
        "--mtc-enabled": _mtc,
        "--enable-debug-logs": _debug,
        "--use-pathways": _use_pathways,
        "--headless": _headless,
        "--proxy-server-image": _proxy_image,
        "--server-image": _server_image,
        "--pathways-gcs-location": _scratch,
        **dict.fromkeys(_ARGUMENTS, _server_arguments),
        "--elastic-slices": _elastic,
        "--max-slice-restarts": _elastic,
        "--colocated-python-sidecar-image": _python_sidecar,
    }
