"""Repositories for the tests of comparisons."""

import json
import pathlib
import subprocess
from typing import Any

from support.small_plans import TODAY


class Clone:
    """A repository in a folder that is the current one."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self("init", "--quiet", "--initial-branch", "main")

    def __call__(self, *arguments: str) -> str:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgSign=false")
        command = ["git", *identity, *arguments]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, **files: str | None) -> str:
        """Commit files, ``__`` for a slash; None removes one. Gives the id."""
        for name, content in files.items():
            path = self.folder / name.replace("__", "/")
            path = path.with_name(f"{path.name}.yaml")
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        self("add", "--all")
        self("commit", "--quiet", "--allow-empty", "--message", "change")
        return self("rev-parse", "HEAD")


def changes(run: Any) -> dict[tuple[str, str], str]:
    """plan and item -> class."""
    assert run.err == ""
    return {(item["plan"], item["item"]): item["change"] for item in json.loads(run.out)["items"]}


PLAN = "stacks/prod/plan.yaml"
JSON = ("--format", "json", *TODAY)
