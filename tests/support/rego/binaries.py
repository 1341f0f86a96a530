"""Finds conftest and OPA, which tests of the exported policy run, in the project's cache folder.

Tests use them where they are and are skipped elsewhere. As a program: builds them now, with Go, from the modules in
``go.mod`` beside this file.
"""

import hashlib
import os
import pathlib
import shutil
import sys
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))  # for calls as a program
from support.tool_installation import (
    CACHE,
    Tell,
    UnavailableError,
    made_as_program,
    made_once,
    module_version,
    run,
    tell_nothing,
)

HERE = pathlib.Path(__file__).parent
CONFTEST_MODULE, OPA_MODULE = "github.com/open-policy-agent/conftest", "github.com/open-policy-agent/opa"
BUILD_SECONDS = 3600
COMMAND = ".venv/bin/python tests/support/rego/binaries.py"
_AT_ONCE = "2"
"""Packages that Go builds at the same time."""


@dataclass(frozen=True)
class PolicyPrograms:
    """What a build gives."""

    folder: pathlib.Path

    @property
    def conftest(self) -> pathlib.Path:
        return self.folder / "conftest"

    @property
    def opa(self) -> pathlib.Path:
        return self.folder / "opa"

    @property
    def complete(self) -> bool:
        return self.conftest.is_file() and self.opa.is_file()


def expected(folder: pathlib.Path, cache: pathlib.Path) -> PolicyPrograms:
    """Where the programs are once they are built: beside those for Terraform, with which CI keeps them."""
    digest = hashlib.sha256((folder / "go.mod").read_bytes() + (folder / "go.sum").read_bytes()).hexdigest()[:8]
    versions = f"conftest-{module_version(folder, CONFTEST_MODULE)}-opa-{module_version(folder, OPA_MODULE)}"
    return PolicyPrograms(cache / "terraform" / f"{versions}-{digest}")


def cached(folder: pathlib.Path = HERE, cache: pathlib.Path = CACHE) -> PolicyPrograms:
    """The programs in the cache.

    Raises:
        UnavailableError: they are not there; the message says how to get them.
    """
    programs = expected(folder, cache)
    if not programs.complete:
        raise UnavailableError(f"conftest and OPA are not in .cache; {COMMAND} builds them")
    return programs


def build(folder: pathlib.Path, cache: pathlib.Path, tell: Tell = tell_nothing) -> PolicyPrograms:
    """The programs, built if they are not in the cache; several processes at once wait for one of them.

    Raises:
        UnavailableError: they cannot be built.
    """
    programs = expected(folder, cache)

    def make(partial: pathlib.Path) -> None:
        _compile(folder, PolicyPrograms(partial), tell)

    lock = cache / "terraform" / "policy.lock"
    made_once(programs.folder, lambda: programs.complete, make, lock, "conftest and OPA", tell)
    return programs


def _compile(folder: pathlib.Path, programs: PolicyPrograms, tell: Tell) -> None:
    go = shutil.which("go")
    if go is None:
        raise UnavailableError("no conftest: not built, there is no Go")
    tell("Building conftest and OPA: 4 to 10 minutes with empty caches of Go, seconds with full ones.")

    def working(minutes: float, packages: int) -> None:
        tell(f"Building conftest and OPA: {minutes:.0f} min, {packages:,} packages are compiled.")

    programs.folder.mkdir(parents=True)
    command = [go, "build", "-v", "-p", _AT_ONCE, "-mod=readonly", "-trimpath", "-ldflags", "-s -w"]
    target = f"{programs.folder}{os.sep}"
    run(
        [*command, "-o", target, "tool"], BUILD_SECONDS, "no conftest: not built", folder, {"CGO_ENABLED": "0"}, working
    )


def main() -> int:
    """Build the programs and print their folder; 1 if that fails."""
    return made_as_program(lambda tell: build(HERE, CACHE, tell).folder)


if __name__ == "__main__":
    sys.exit(main())
