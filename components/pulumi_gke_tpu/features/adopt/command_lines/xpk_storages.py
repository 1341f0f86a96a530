"""``xpk storage attach`` and ``create``: the volumes that workloads name."""

from collections.abc import Mapping
from typing import Any, Final

from pulumi_gke_tpu.core.text.shell.arguments import Given, Takes
from pulumi_gke_tpu.features.adopt.command_lines.draft import CommandReading

OPTIONS: Final[Mapping[str, Takes]] = {
    **dict.fromkeys(
        [
            "--type",
            "--cluster",
            "--project",
            "--project-number",
            "--zone",
            "--auto-mount",
            "--mount-point",
            "--readonly",
            "--size",
            "--bucket",
            "--vol",
            "--access-mode",
            "--instance",
            "--manifest",
            "--mount-options",
            "--tier",
            "--prefetch-metadata",
        ],
        "value",
    ),
    **dict.fromkeys(
        ("--enable-legacy-lustre-port", "--dry-run", "--quiet", "--skip-validation", "--sandbox-kubeconfig"), "flag"
    ),
}

_UNUSED: Final = frozenset({"--project", "--zone", "--auto-mount", "--dry-run", "--quiet"})
_DRIVERS: Final = {
    "gcsfuse": "gcs_fuse",
    "gcpfilestore": "filestore",
    "parallelstore": "parallelstore",
    "lustre": "lustre",
}
"""The add-on that xpk enables for a type of storage."""
_KEYS: Final = {
    "--mount-point": "volumes.*.mount",
    "--readonly": "volumes.*.read_only",
    "--bucket": "volumes.*.bucket.name",
    "--mount-options": "volumes.*.bucket.mount_options",
}


class XpkStorage(CommandReading):
    """One command that makes a storage known to xpk."""

    def read(self) -> None:
        """Remember the volume for the workloads that name it."""
        cluster = self.text("--cluster", "name of the cluster")
        names = [word.text for word in self.arguments.positional if not word.problem]
        self.report_unknown()
        if len(names) != 1:
            self.problem("no name of the storage", fix="add the name of the storage to the command")
            return
        self.storage = names[0]
        self.is_bucket = self.arguments.value("--type") == "gcsfuse"
        if cluster:
            self.draft.storages[cluster, self.storage] = self._volume()
            driver = _DRIVERS.get(self.arguments.value("--type"))
            if driver and "location" in self.draft.clusters.get(cluster, {}):
                self.draft.put(cluster, "addons", [driver])
        for given in self.each():
            if self.known(given):
                self._option(given)

    def _volume(self) -> dict[str, Any]:
        volume: dict[str, Any] = {"mount": self.arguments.value("--mount-point") or f"/{self.storage}"}
        if self.arguments.value("--readonly").lower() == "true":
            volume["read_only"] = True
        if not self.is_bucket:
            return volume | {"claim": f"{self.storage}-pvc"}
        # xpk names a bucket like the storage if the command does not state one.
        volume["bucket"] = {"name": self.arguments.value("--bucket") or self.storage}
        options = [item for item in self.arguments.value("--mount-options").split(",") if item]
        if options:
            volume["bucket"]["mount_options"] = options
        return volume

    def _option(self, given: Given) -> None:
        if given.option in ("--type", "--cluster"):
            self.row(given, "derived", reason="it becomes a volume of each workload that names the storage")
        elif given.option in _KEYS and (self.is_bucket or "bucket" not in _KEYS[given.option]):
            self.row(given, "key", key=_KEYS[given.option])
        elif given.option == "--auto-mount" and given.value.lower() == "true":
            self.row(given, "left out", reason="a plan states the volumes of each workload")
        elif self.is_bucket or given.option in _UNUSED:
            self.row(given, "left out", reason="the volume does not need it")
        else:
            reason = (
                f"the volume uses the claim {self.storage}-pvc, which xpk creates; `volumes` has a key for each type"
            )
            self.row(given, "left out", reason=reason)
