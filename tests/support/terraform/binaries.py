"""Finds OpenTofu and the provider hashicorp/google, which tests with Terraform run, in the project's cache folder.

Tests use them where they are and are skipped elsewhere, because a build from empty caches takes long. As a program:
builds them now, with Go, from the modules in ``tests/terraform/go.mod``.
"""

import hashlib
import pathlib
import platform
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

HERE = pathlib.Path(__file__).parents[2] / "terraform"
CLI_MODULE, CLI_PACKAGE = "github.com/opentofu/opentofu", "github.com/opentofu/opentofu/cmd/tofu"
PROVIDER_MODULE = "github.com/hashicorp/terraform-provider-google"
PROVIDER_RELEASE = "8.0.0"
"""The release that the pseudo-version in ``go.mod`` is, which the provider's tags do not say."""
SOURCE = "registry.opentofu.org/hashicorp/google"
BUILD_SECONDS = 2 * 3600
COMMAND = ".venv/bin/python tests/support/terraform/binaries.py"

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
_AT_ONCE = "2"
"""Packages that Go builds at the same time: some of the provider's take more than 2 GB of memory each."""


@dataclass(frozen=True)
class Programs:
    """What a build gives."""

    folder: pathlib.Path

    @property
    def cli(self) -> pathlib.Path:
        return self.folder / "tofu"

    @property
    def mirror(self) -> pathlib.Path:
        """A folder in the form of a ``filesystem_mirror``, from which ``init`` installs without a network."""
        return self.folder / "mirror"

    @property
    def provider(self) -> pathlib.Path:
        place = f"{platform.system().lower()}_{_ARCHITECTURES.get(platform.machine(), platform.machine())}"
        name = f"terraform-provider-google_v{PROVIDER_RELEASE}"
        return self.mirror / SOURCE / PROVIDER_RELEASE / place / name

    @property
    def complete(self) -> bool:
        return self.cli.is_file() and self.provider.is_file()


def expected(folder: pathlib.Path, cache: pathlib.Path) -> Programs:
    """Where the programs are once they are built. ``folder`` contains ``go.mod`` and the program of the provider."""
    sources = [folder / "go.mod", folder / "go.sum", *sorted((folder / "provider").glob("*.go"))]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:8]
    name = f"tofu-{module_version(folder, CLI_MODULE)}-google-{PROVIDER_RELEASE}-{digest}"
    return Programs(cache / "terraform" / name)


def cached(folder: pathlib.Path = HERE, cache: pathlib.Path = CACHE) -> Programs:
    """The programs in the cache.

    Raises:
        UnavailableError: they are not there; the message says how to get them.
    """
    programs = expected(folder, cache)
    if not programs.complete:
        raise UnavailableError(f"OpenTofu and the provider hashicorp/google are not in .cache; {COMMAND} builds them")
    return programs


def build(folder: pathlib.Path, cache: pathlib.Path, tell: Tell = tell_nothing) -> Programs:
    """The programs, built if they are not in the cache.

    Safe in several processes at once: one of them builds; the others wait, and if it fails they fail with it.

    Raises:
        UnavailableError: they cannot be built.
    """
    programs = expected(folder, cache)

    def make(partial: pathlib.Path) -> None:
        _build(folder, Programs(partial), tell)

    lock = cache / "terraform" / "lock"
    made_once(programs.folder, lambda: programs.complete, make, lock, "OpenTofu and the provider", tell)
    return programs


def _build(folder: pathlib.Path, programs: Programs, tell: Tell) -> None:
    go = shutil.which("go")
    if go is None:
        raise UnavailableError("no Terraform programs: not built, there is no Go")
    programs.provider.parent.mkdir(parents=True)
    provider_flags = f"-s -w -X {PROVIDER_MODULE}/version.ProviderVersion={PROVIDER_RELEASE}"
    _compile(go, folder, "the provider hashicorp/google", "./provider", programs.provider, provider_flags, tell)
    _compile(go, folder, "OpenTofu", CLI_PACKAGE, programs.cli, f"-s -w -X {CLI_MODULE}/version.dev=no", tell)


def _compile(
    go: str, folder: pathlib.Path, name: str, package: str, target: pathlib.Path, flags: str, tell: Tell
) -> None:
    tell(f"Building {name}: 3 to 10 minutes with empty caches of Go, seconds with full ones.")

    def working(minutes: float, packages: int) -> None:
        tell(f"Building {name}: {minutes:.0f} min, {packages:,} packages are compiled.")

    command = [go, "build", "-v", "-p", _AT_ONCE, "-mod=readonly", "-trimpath", "-ldflags", flags]
    problem = f"no Terraform programs: {name} is not built"
    run([*command, "-o", str(target), package], BUILD_SECONDS, problem, folder, {"CGO_ENABLED": "0"}, working)


def main() -> int:
    """Build the programs and print their folder; 1 if that fails."""
    return made_as_program(lambda tell: build(HERE, CACHE, tell).folder)


if __name__ == "__main__":
    sys.exit(main())
