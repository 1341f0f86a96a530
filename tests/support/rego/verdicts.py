"""What the exported policy and ``gke-tpu check`` say about the same plans of Terraform."""

import functools
import json
import os
import pathlib
import subprocess
from collections.abc import Mapping
from typing import Any

from support.go_tools import GoTools

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.export.rego.facts import RULES
from pulumi_gke_tpu.features.export.rego.files import policy_files

Verdict = tuple[str, str, str]
"""Rule, address, error or warning."""
NAMESPACE = "gke_tpu"
_REPORTED = {Severity.ERROR: "error", Severity.WARNING: "warning"}


class Policy:
    """The exported files in a folder, and the programs that evaluate them."""

    def __init__(self, folder: pathlib.Path, programs: GoTools) -> None:
        self.folder = folder
        self._programs = programs
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in policy_files(read_catalog()).items():
            (folder / name).write_text(text, "utf-8")

    def conftest(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Run conftest."""
        return self._run(self._programs.program("conftest"), *arguments)

    def opa(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Run OPA."""
        return self._run(self._programs.program("opa"), *arguments)

    def found(self, plans: Mapping[str, bytes], folder: pathlib.Path) -> dict[str, list[dict[str, Any]]]:
        """Name of a plan -> what conftest reports about it: the metadata of each message, with ``level``."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = {str(folder / f"{number:04}.json"): name for number, name in enumerate(plans)}
        for path, name in paths.items():
            pathlib.Path(path).write_bytes(plans[name])
        options = ("--policy", self.folder, "--data", self.folder, "--namespace", NAMESPACE, "--output", "json")
        result = self.conftest("test", folder, *options)
        assert result.returncode in (0, 1), result.stdout + result.stderr
        assert result.stdout.startswith("["), result.stdout + result.stderr
        answer: dict[str, list[dict[str, Any]]] = {name: [] for name in plans}
        for part in json.loads(result.stdout):
            for kind, level in (("failures", "error"), ("warnings", "warning")):
                for item in part.get(kind, ()):
                    answer[paths[part["filename"]]].append({**item["metadata"], "msg": item["msg"], "level": level})
        return answer

    def _run(self, program: pathlib.Path, *arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(program), *map(str, arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=300,
            check=False,
            env={"PATH": os.defpath, "HOME": str(self.folder)},
        )


def of_policy(found: list[dict[str, Any]]) -> set[Verdict]:
    """The verdicts of the policy about the rules of ``check``."""
    return {(item["rule"], item["address"], item["level"]) for item in found if item["rule"] in RULES}


def of_check(plan: bytes) -> set[Verdict]:
    """The verdicts of ``gke-tpu check`` about the rules that the policy contains."""
    catalog, reader = _reader()
    resources = reader.read("plan.json", plan)
    assert resources is not None
    return {
        (finding.rule, str(finding.path[0]), _REPORTED[finding.severity])
        for finding in check_resources(resources.found, catalog)
        if finding.rule in RULES and finding.severity in _REPORTED
    }


@functools.cache
def _reader() -> tuple[Any, ResourceReader]:
    catalog = read_catalog()
    return catalog, ResourceReader(catalog)
