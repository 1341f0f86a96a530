"""A folder with a configuration in which the real OpenTofu and the real provider run, without network or credentials.

::

    with google_apis() as google:  # support.google_apis.server
        terraform = Terraform(tmp_path, programs, google.url)  # the fixture `terraform` does all of this
        terraform.write({"main.tf": 'resource "google_container_node_pool" "a" { ... }'})
        assert terraform.validate() == []
        plan = terraform.plan()
        assert plan.summary == "Plan: 1 to add, 0 to change, 0 to destroy."
        assert plan.actions == {"google_container_node_pool.a": ["create"]}
        plan.json["resource_changes"][0]["change"]["after_unknown"]
        terraform.apply()
        assert terraform.plan().empty

Without ``google`` (an address), ``validate``, and ``plan`` of a configuration that reads nothing, work as well: a
request would end the command. Import blocks, ``moved``, modules in folders of the configuration and ``state rm`` work,
through ``run`` where there is no method. ``tofu test`` with mocked providers is ``run("test")``.
"""

import json
import os
import pathlib
import re
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from support.terraform.binaries import Programs

_SECONDS = 180
_COLORS = re.compile("\x1b\\[[0-9;]*m")
_SUMMARY = re.compile(r"^(?:Plan: .*|No changes\..*|Apply complete! .*|Destroy complete! .*)$", re.MULTILINE)
_CONFIGURATION = """\
disable_checkpoint = true
provider_installation {{
  filesystem_mirror {{
    path = {mirror}
  }}
}}
"""


class TerraformError(AssertionError):
    """A command failed; the message is what it printed."""


@dataclass(frozen=True)
class Printed:
    """What a command printed."""

    status: int
    text: str

    @property
    def summary(self) -> str:
        """The line with the numbers of changes, without what follows ``No changes.``; empty if there is none."""
        found = _SUMMARY.search(self.text)
        return "" if found is None else re.sub(r"^(No changes\.).*", r"\1", found.group())


@dataclass(frozen=True)
class Plan(Printed):
    """A plan, and ``terraform show -json`` of it."""

    json: dict[str, Any]

    @property
    def actions(self) -> dict[str, list[str]]:
        """Address -> actions, of the resources that are not left as they are."""
        changes = {item["address"]: item["change"]["actions"] for item in self.json.get("resource_changes", [])}
        return {address: actions for address, actions in changes.items() if actions not in (["no-op"], ["read"])}

    @property
    def empty(self) -> bool:
        """Whether the plan changes nothing, neither resources nor outputs, and imports nothing."""
        return self.summary == "No changes."


class Terraform:
    """The configuration in ``folder``, and its state. ``google`` is the address of the stand-in of the APIs."""

    def __init__(self, folder: pathlib.Path, programs: Programs, google: str = "", **environment: str) -> None:
        self.folder = folder
        self._programs = programs
        folder.mkdir(parents=True, exist_ok=True)
        configuration = folder / ".tofurc"
        configuration.write_text(_CONFIGURATION.format(mirror=json.dumps(str(programs.mirror))), "utf-8")
        # Nothing of the user's environment: neither credentials, nor a proxy, nor variables of Terraform.
        self._environment = {
            "HOME": str(folder),
            "PATH": os.defpath,
            "TMPDIR": tempfile.gettempdir(),  # the path of a socket is short
            "TF_CLI_CONFIG_FILE": str(configuration),
            "TF_IN_AUTOMATION": "1",
            "TF_INPUT": "0",
            "GOOGLE_APIS": google,
            **environment,
        }
        self._initialized: dict[pathlib.Path, bytes] = {}

    def write(self, files: Mapping[str, str]) -> None:
        """Write files, by their paths in the folder. Files of earlier calls remain."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def replace(self, files: Mapping[str, str]) -> None:
        """Write files, and delete all other files of the configuration."""
        for path in self._sources():
            path.unlink()
        self.write(files)

    def run(self, *arguments: str, fails: bool = False, **environment: str) -> Printed:
        """Run a command, after ``init`` where the configuration has changed.

        Raises:
            TerraformError: the command failed, or with ``fails`` it did not.
        """
        printed = self.call(*arguments, **environment)
        if (printed.status != 0) != fails:
            raise TerraformError(printed.text)
        return printed

    def call(self, *arguments: str, **environment: str) -> Printed:
        """The same, whether it succeeds or fails."""
        return self._initialize(environment) or self._call(arguments, environment)

    def validate(self) -> list[dict[str, Any]]:
        """The problems that ``validate`` finds, as its JSON describes them."""
        printed = self._initialize({}) or self._call(("validate", "-json"), {})
        try:
            return list(json.loads(printed.text)["diagnostics"])
        except ValueError:  # `init` finds it, and has no JSON
            return [{"severity": "error", "summary": printed.text}]

    def plan(self, *options: str, **environment: str) -> Plan:
        """Plan, and keep the plan for ``apply``."""
        printed = self.run("plan", "-no-color", "-out=plan.out", *options, **environment)
        shown = self.run("show", "-json", "plan.out", **environment)
        return Plan(0, printed.text, json.loads(shown.text))

    def apply(self, *options: str, **environment: str) -> Printed:
        """Plan and carry out."""
        return self.run("apply", "-no-color", "-auto-approve", *options, **environment)

    def destroy(self) -> Printed:
        """Delete everything that is in the state."""
        return self.run("destroy", "-no-color", "-auto-approve")

    def state(self) -> dict[str, Any]:
        """``terraform show -json`` of the state."""
        answer = json.loads(self.run("show", "-json").text)
        assert isinstance(answer, dict)
        return answer

    def unformatted(self) -> list[str]:
        """The files that ``fmt`` would change."""
        return self._call(("fmt", "-check", "-recursive"), {}).text.split()

    def _initialize(self, environment: Mapping[str, str]) -> Printed | None:
        """Install provider and modules where the configuration has changed; what failed, None if nothing did."""
        sources = {path: path.read_bytes() for path in self._sources()}
        if sources == self._initialized:
            return None
        printed = self._call(("init", "-no-color"), environment)
        if printed.status != 0:
            return printed
        self._initialized = sources
        return None

    def _sources(self) -> list[pathlib.Path]:
        found = [*self.folder.rglob("*.tf"), *self.folder.rglob("*.tf.json"), *self.folder.rglob("*.tftest.hcl")]
        return sorted(path for path in found if ".terraform" not in path.parts)

    def _call(self, arguments: tuple[str, ...], environment: Mapping[str, str]) -> Printed:
        finished = subprocess.run(
            [str(self._programs.cli), *arguments],
            cwd=self.folder,
            env={**self._environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
        text = finished.stdout if arguments[:2] == ("show", "-json") else finished.stdout + finished.stderr
        return Printed(finished.returncode, _COLORS.sub("", text))
