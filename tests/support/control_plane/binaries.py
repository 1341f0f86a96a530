"""Finds the programs of a Kubernetes control plane: in the project's cache folder, released, or built by Go.

As a program: gets them now, so that tests need not wait for it later.
"""

import os
import pathlib
import platform
import re
import shutil
import sys
import tarfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))  # for calls as a program
from support.tool_installation import (
    CACHE,
    Tell,
    UnavailableError,
    by_first_way,
    download,
    made_as_program,
    made_once,
    module_version,
    run,
    tell_nothing,
    text_at,
)

HERE = pathlib.Path(__file__).parent
MODULE, ETCD_MODULE = "k8s.io/kubernetes", "go.etcd.io/etcd/server/v3"
PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
KUBERNETES_RELEASES = "https://dl.k8s.io"
ETCD_RELEASES = "https://github.com/etcd-io/etcd/releases/download"
BUILD_SECONDS = 3 * 3600
"""Two processors that run tests meanwhile take an hour."""

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
_BUILT_AS = {"etcd": "server"}
_AT_ONCE = "2"
"""Packages that Go builds at the same time: linking one of the programs takes up to 2 GB of memory."""


def cached(folder: pathlib.Path, cache: pathlib.Path) -> pathlib.Path | None:
    """The folder with the programs if they are in the cache."""
    programs = cache / "kubernetes" / module_version(folder, MODULE)
    return programs if all((programs / name).is_file() for name in PROGRAMS) else None


def find_control_plane(folder: pathlib.Path, cache: pathlib.Path, tell: Tell = tell_nothing) -> pathlib.Path:
    """The folder with the programs. ``folder`` contains ``go.mod``; downloaded or built files are in ``cache``.

    Safe in several processes at once: one of them gets the programs; the others wait, and if it fails they fail with
    it.

    Raises:
        UnavailableError: the programs can be neither downloaded nor built.
    """
    version = module_version(folder, MODULE)
    programs = cache / "kubernetes" / version

    def make(partial: pathlib.Path) -> None:
        tell(
            f"No Kubernetes control plane here yet: getting {version} takes a minute if its releases can be "
            "downloaded, else 3 to 10 minutes, on a busy machine up to an hour, once."
        )
        ways = {
            "downloaded": lambda target: _download(folder, target, version, tell),
            "built": lambda target: _build(folder, target, version, tell),
        }
        by_first_way(partial, ways, f"no Kubernetes control plane: not in {programs}")

    lock = cache / "kubernetes" / "lock"
    made_once(programs, lambda: cached(folder, cache) is not None, make, lock, "the Kubernetes control plane", tell)
    return programs


def _download(folder: pathlib.Path, target: pathlib.Path, version: str, tell: Tell) -> None:
    """Download the released programs, which exist for Linux, and compare them with their published checksums."""
    problem, architecture = "not downloaded", _ARCHITECTURES.get(platform.machine())
    if platform.system() != "Linux" or architecture is None:
        raise UnavailableError(f"{problem}, there is no release for {platform.system()} on {platform.machine()}")
    base = f"{KUBERNETES_RELEASES}/v{version}/bin/linux/{architecture}"
    etcd = f"etcd-v{module_version(folder, ETCD_MODULE)}-linux-{architecture}"
    etcd_base = f"{ETCD_RELEASES}/v{module_version(folder, ETCD_MODULE)}"
    # All checksums first: a host that is out of reach is noticed before hundreds of megabytes of another one.
    checksums = {f"{base}/{name}": text_at(f"{base}/{name}.sha256", problem) for name in PROGRAMS if name != "etcd"}
    lines = (line.split() for line in text_at(f"{etcd_base}/SHA256SUMS", problem).splitlines())
    published = {line[1]: line[0] for line in lines if len(line) == 2}
    checksums[f"{etcd_base}/{etcd}.tar.gz"] = published.get(f"{etcd}.tar.gz", "")
    for url, text in checksums.items():
        checksum = text.strip()
        if not re.fullmatch("[0-9a-f]{64}", checksum):
            raise UnavailableError(f"{problem}: no checksum of {url}")
        download(url, target / url.rpartition("/")[2], checksum, problem, tell)
    archive = target / f"{etcd}.tar.gz"
    try:
        with tarfile.open(archive) as packed, (target / "etcd").open("wb") as file:
            content = packed.extractfile(f"{etcd}/etcd")
            assert content is not None
            shutil.copyfileobj(content, file)
    except (tarfile.TarError, KeyError, AssertionError) as error:
        raise UnavailableError(f"{problem}: no etcd in {archive.name}: {error}") from None
    archive.unlink()
    for name in PROGRAMS:
        (target / name).chmod(0o755)


def _build(folder: pathlib.Path, target: pathlib.Path, version: str, tell: Tell) -> None:
    go = shutil.which("go")
    if go is None:
        raise UnavailableError("not built, there is no Go")
    major, minor, _ = version.split(".", 2)
    stamps = {"gitVersion": f"v{version}", "gitMajor": major, "gitMinor": minor}
    flags = " ".join(f"-X k8s.io/component-base/version.{name}={value}" for name, value in stamps.items())
    command = [go, "build", "-v", "-p", _AT_ONCE, "-mod=readonly", "-trimpath", "-ldflags", f"-s -w {flags}", "-o"]

    def working(minutes: float, packages: int) -> None:
        tell(f"Building the Kubernetes control plane: {minutes:.0f} min, {packages:,} packages are compiled.")

    environment = {"CGO_ENABLED": "0"}
    run([*command, f"{target}{os.sep}", "tool"], BUILD_SECONDS, "not built", folder, environment, working)
    for name, built in _BUILT_AS.items():
        (target / built).rename(target / name)


def main() -> int:
    """Get the programs and print their folder; 1 if that fails."""
    return made_as_program(lambda tell: find_control_plane(HERE, CACHE, tell))


if __name__ == "__main__":
    sys.exit(main())
