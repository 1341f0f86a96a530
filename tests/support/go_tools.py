"""Programs that Go builds from the ``tool`` lines of a ``go.mod``, once per checkout, into ``.cache``.

As a program: builds those of a folder now, so that tests need not wait for them: ``go_tools.py FOLDER``.
"""

import hashlib
import os
import pathlib
import re
import shutil
import sys
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))  # for calls as a program
from support.tool_installation import (
    CACHE,
    Tell,
    UnavailableError,
    made_as_program,
    made_once,
    run,
    tell_nothing,
)

HERE = pathlib.Path(__file__).parent
BUILD_SECONDS = 3600
_AT_ONCE = "2"
"""Packages that Go builds at the same time."""


@dataclass(frozen=True)
class GoTools:
    """The programs of a folder with ``go.mod`` and ``go.sum``; ``cache`` is the folder that CI keeps them in."""

    folder: pathlib.Path
    cache: pathlib.Path
    tags: str = ""
    """The build tags, which leave parts of the programs out."""

    @property
    def names(self) -> list[str]:
        """The programs: the last part of each package."""
        text = (self.folder / "go.mod").read_text(encoding="utf-8")
        one, several = re.search(r"^tool (\S+)$", text, re.MULTILINE), re.search(r"^tool \((.*?)\)", text, re.S | re.M)
        packages = several[1].split() if several else [one[1]] if one else []
        return [package.rpartition("/")[2] for package in packages]

    @property
    def built(self) -> pathlib.Path:
        """Where the programs are once they are built."""
        own = sorted(file.name for file in self.folder.glob("*.go"))
        content = b"".join((self.folder / name).read_bytes() for name in ("go.mod", "go.sum", *own))
        return self.cache / f"{self.folder.name}-{hashlib.sha256(content).hexdigest()[:8]}"

    def program(self, name: str) -> pathlib.Path:
        """The path of a program."""
        return self.built / name

    @property
    def complete(self) -> bool:
        """Whether every program is there."""
        return all(self.program(name).is_file() for name in self.names)

    def cached(self) -> "GoTools":
        """The tools, if they are in the cache.

        Raises:
            UnavailableError: they are not there; the message says how to get them.
        """
        if not self.complete:
            command = f".venv/bin/python tests/support/go_tools.py {self.folder.relative_to(HERE.parents[1])}"
            raise UnavailableError(f"{' and '.join(self.names)} are not in .cache; {command} builds them")
        return self

    def build(self, tell: Tell = tell_nothing) -> "GoTools":
        """The tools, built if they are not in the cache; several processes at once wait for one of them.

        Raises:
            UnavailableError: they cannot be built.
        """
        title = " and ".join(self.names)
        lock = self.cache / f"{self.folder.name}.lock"
        made_once(self.built, lambda: self.complete, lambda partial: self._compile(partial, tell), lock, title, tell)
        return self

    def _compile(self, partial: pathlib.Path, tell: Tell) -> None:
        title, go = " and ".join(self.names), shutil.which("go")
        if go is None:
            raise UnavailableError(f"no {title}: not built, there is no Go")
        tell(f"Building {title}: 2 to 10 minutes with empty caches of Go, seconds with full ones.")

        def working(minutes: float, packages: int) -> None:
            tell(f"Building {title}: {minutes:.0f} min, {packages:,} packages are compiled.")

        partial.mkdir(parents=True)
        command = [go, "build", "-v", "-p", _AT_ONCE, "-mod=readonly", "-trimpath", "-ldflags", "-s -w"]
        command += ["-tags", self.tags] if self.tags else []
        target = ["-o", f"{partial}{os.sep}", "tool"]
        problem = f"no {title}: not built"
        run([*command, *target], BUILD_SECONDS, problem, self.folder, {"CGO_ENABLED": "0"}, working)


POLICY = GoTools(HERE / "rego", CACHE / "terraform")
"""conftest and OPA, beside the programs for Terraform, with which CI keeps them."""
PROMTOOL = GoTools(HERE / "promtool", CACHE / "terraform", tags="remove_all_sd")
"""promtool without service discovery, whose clients of all clouds take most of the time of a build."""
YAML_HOST = GoTools(HERE / "engine" / "yaml", CACHE / "pulumi")
"""pulumi-language-yaml, with which the engine runs programs in YAML."""
ACTIONLINT = GoTools(HERE / "actionlint", CACHE / "publishing")
"""actionlint, with which the workflows are linted."""
KUEUE = GoTools(HERE / "kueue_decisions", CACHE / "kubernetes")
"""A program around the flavor assigner and the preemptor of Kueue."""


def main() -> int:
    """Build the tools of a folder and print where they are; 1 if that fails."""
    wanted = pathlib.Path(sys.argv[1]).resolve()
    (tools,) = (tools for tools in (POLICY, PROMTOOL, YAML_HOST, ACTIONLINT, KUEUE) if tools.folder == wanted)
    return made_as_program(lambda tell: tools.build(tell).built)


if __name__ == "__main__":
    sys.exit(main())
