"""Finds the Pulumi CLI: on PATH, in the project's cache folder, installed there, or built by Go.

As a program: gets it now, so that tests need not wait for it later.
"""

import pathlib
import shutil
import sys
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))  # for calls as a program
from support.tool_installation import (
    CACHE,
    Tell,
    UnavailableError,
    by_first_way,
    made_as_program,
    made_once,
    module_version,
    run,
    tell_nothing,
    text_at,
)

HERE = pathlib.Path(__file__).parent
MODULE = "github.com/pulumi/pulumi/pkg/v3"
REACHABLE, INSTALL_SECONDS, BUILD_SECONDS = "https://get.pulumi.com/install.sh", 900, 2 * 3600

_INSTALL = """
import sys
from pulumi.automation import PulumiCommand
from semver import VersionInfo
PulumiCommand.install(root=sys.argv[1], version=VersionInfo.parse(sys.argv[2]))
"""


@dataclass(frozen=True)
class PulumiCli:
    """A usable CLI: ``root/bin/pulumi``."""

    root: pathlib.Path
    found: str
    """How it was found: on PATH, cached, installed or built."""


def find_pulumi(folder: pathlib.Path, cache: pathlib.Path, tell: Tell = tell_nothing) -> PulumiCli:
    """The first available CLI. ``folder`` contains ``go.mod``; installed or built files are in ``cache``.

    Safe in several processes at once: one of them installs or builds; the others wait, and if it fails they fail with
    it.

    Raises:
        UnavailableError: none can be had.
    """
    version = module_version(folder, MODULE)
    root = cache / "pulumi" / version
    found: PulumiCli | None = None

    def complete() -> bool:
        nonlocal found
        found = present(root, cache)
        return found is not None

    def make(partial: pathlib.Path) -> None:
        nonlocal found
        tell(
            f"No Pulumi CLI here yet: getting {version} into {root.parent} takes a minute if get.pulumi.com is within "
            "reach, else 5 to 10 minutes, on a busy machine up to an hour, once."
        )
        ways = {
            "installed": lambda target: _install(target, version),
            "built": lambda target: _build(folder, target, version, tell),
        }
        found = PulumiCli(root, by_first_way(partial, ways, f"no Pulumi CLI: not on PATH; not in {root}"))

    made_once(root, complete, make, cache / "pulumi" / "lock", "the Pulumi CLI", tell)
    assert found is not None
    return found


def present(root: pathlib.Path, cache: pathlib.Path) -> PulumiCli | None:
    """The CLI on PATH, or the one in the cache."""
    on_path = shutil.which("pulumi")
    if on_path is not None:
        return PulumiCli(_in_a_folder_called_bin(pathlib.Path(on_path), cache / "pulumi" / "on-path"), "on PATH")
    return PulumiCli(root, "cached") if (root / "bin" / "pulumi").is_file() else None


def _install(target: pathlib.Path, version: str) -> None:
    text_at(REACHABLE, "not installed")
    run([sys.executable, "-c", _INSTALL, str(target), version], INSTALL_SECONDS, "not installed")


def _build(folder: pathlib.Path, target: pathlib.Path, version: str, tell: Tell) -> None:
    """Build the tool dependency: about five minutes with empty caches of Go, seconds with full ones."""
    go = shutil.which("go")
    if go is None:
        raise UnavailableError("not built, there is no Go")
    program = target / "bin" / "pulumi"
    program.parent.mkdir()
    stamp = f"-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v{version}"
    command = [go, "build", "-v", "-mod=readonly", "-ldflags", stamp, "-o", str(program), f"{MODULE}/cmd/pulumi"]

    def working(minutes: float, packages: int) -> None:
        tell(f"Building the Pulumi CLI: {minutes:.0f} min, {packages:,} packages are compiled.")

    run(command, BUILD_SECONDS, "not built", folder, {"CGO_ENABLED": "0"}, working)


def _in_a_folder_called_bin(program: pathlib.Path, root: pathlib.Path) -> pathlib.Path:
    """The Automation API finds the CLI only as ``root/bin/pulumi``; gives the root."""
    if program.parent.name == "bin":
        return program.parent.parent
    (root / "bin").mkdir(parents=True, exist_ok=True)
    link = root / "bin" / "pulumi"
    link.unlink(missing_ok=True)
    link.symlink_to(program)
    return root


def main() -> int:
    """Get the CLI and print its path; 1 if none is available."""

    def get(tell: Tell) -> str:
        cli = find_pulumi(HERE, CACHE, tell)
        return f"{cli.root / 'bin' / 'pulumi'} ({cli.found})"

    return made_as_program(get)


if __name__ == "__main__":
    sys.exit(main())
