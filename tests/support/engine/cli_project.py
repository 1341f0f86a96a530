"""The checkout's own project through the command line of Pulumi, as people run it.

Where the Python language host of a Pulumi release is on PATH it runs the program; elsewhere a small one does.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
from typing import Any

from support.engine import key_service, language_host
from support.engine.cli_environment import cli_environment
from support.engine.engine_cloud import Engine
from support.shipped import STACKS

ROOT = STACKS.parent
_LONGEST_SECONDS = 120


class Project:
    """The project of this checkout in a folder of its own, so that stack settings are not written into the checkout."""

    def __init__(self, engine: Engine, folder: pathlib.Path) -> None:
        for name in ("bin", "stacks"):
            (folder / name).mkdir(parents=True)
        shutil.copy(ROOT / "Pulumi.yaml", folder)
        for path in STACKS.iterdir():
            if path.suffix != ".yaml":
                (folder / "stacks" / path.name).symlink_to(path)
        path = [str(engine.cli.root / "bin"), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]
        if shutil.which("pulumi-language-python") is None:
            language_host.put_on_path(folder / "bin")
            path.append(str(folder / "bin"))
        self.folder = folder
        self._environment = {
            **os.environ,
            **cli_environment(folder, engine.port),
            "PATH": os.pathsep.join(path),
        }

    def pulumi(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pulumi", *arguments, "--non-interactive"],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LONGEST_SECONDS,
            check=False,
        )

    def add(self, stack: str, plan: str) -> None:
        """A stack with a plan of its own."""
        folder = self.folder / "stacks" / stack
        folder.mkdir()
        (folder / "plan.yaml").write_text(plan, encoding="utf-8")
        self.init(stack)

    def kill(self, stack: str, creating: threading.Event) -> str:
        """Interrupt ``pulumi up`` twice while a resource is being created, and no other; gives the output."""
        command = ["pulumi", "up", "-s", stack, "--yes", "--skip-preview", "--non-interactive", "--parallel", "1"]
        with subprocess.Popen(
            command,
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # so that an interrupt reaches the CLI and its plugins, as in a terminal
        ) as run:
            assert run.stdout is not None
            said = []
            try:
                assert creating.wait(_LONGEST_SECONDS)
                os.killpg(run.pid, signal.SIGINT)
                for line in run.stdout:
                    said.append(line)
                    if "^C received; cancelling" in line:
                        os.killpg(run.pid, signal.SIGINT)
            finally:
                run.kill()
        return "".join(said)

    def state(self, stack: str) -> dict[str, Any]:
        """What the engine keeps of a stack."""
        done = self.pulumi("stack", "export", "-s", stack)
        assert done.returncode == 0, done.stdout + done.stderr
        found: dict[str, Any] = json.loads(done.stdout)["deployment"]
        return found

    def init(self, stack: str) -> None:
        done = self.pulumi("stack", "init", stack, "--secrets-provider", key_service.URL)
        assert done.returncode == 0, done.stdout + done.stderr

    def preview(self, stack: str) -> dict[str, Any]:
        """What ``pulumi preview -s STACK`` would do."""
        done = self.pulumi("preview", "-s", stack, "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found
