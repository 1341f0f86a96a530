"""Finds the programs of a Kubernetes control plane: in the project's cache folder, or built there by Go.

As a program: builds them now, so that tests need not wait for it later.
"""

import os
import pathlib
import shutil
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))  # for calls as a program
from support.tool_installation import CACHE, Tell, UnavailableError, alone, module_version, run, tell_nothing

HERE = pathlib.Path(__file__).parent
MODULE = "k8s.io/kubernetes"
PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
BUILD_SECONDS = 2400

_BUILT_AS = {"etcd": "server"}
_AT_ONCE = "2"
"""Packages that Go builds at the same time: linking one of the programs takes up to 2 GB of memory."""


def find_control_plane(folder: pathlib.Path, cache: pathlib.Path, tell: Tell = tell_nothing) -> pathlib.Path:
    """The folder with the programs. ``folder`` contains ``go.mod``; built files are in ``cache``.

    Safe in several processes at once: one of them builds; the others wait, and if it fails they fail with it.

    Raises:
        UnavailableError: the programs cannot be built.
    """
    version = module_version(folder, MODULE)
    programs = cache / "kubernetes" / version
    with alone(cache / "kubernetes" / "lock", "the Kubernetes control plane", tell) as turn:
        if all((programs / name).is_file() for name in PROGRAMS):
            return programs
        if turn.others_failure:
            raise UnavailableError(turn.others_failure)
        tell(f"No Kubernetes control plane here yet: building {version} takes 3 to 10 minutes, once.")
        try:
            _build(folder, programs, version)
        except UnavailableError as failure:
            reason = f"no Kubernetes control plane: not in {programs}; {failure}"
            turn.tell_those_who_wait(reason)
            raise UnavailableError(reason) from None
    return programs


def _build(folder: pathlib.Path, programs: pathlib.Path, version: str) -> None:
    go = shutil.which("go")
    if go is None:
        raise UnavailableError("not built, there is no Go")
    partial = programs.with_name(f"{version}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    major, minor, _ = version.split(".", 2)
    stamps = {"gitVersion": f"v{version}", "gitMajor": major, "gitMinor": minor}
    flags = " ".join(f"-X k8s.io/component-base/version.{name}={value}" for name, value in stamps.items())
    command = [go, "build", "-p", _AT_ONCE, "-mod=readonly", "-trimpath", "-ldflags", f"-s -w {flags}", "-o"]
    run([*command, f"{partial}{os.sep}", "tool"], BUILD_SECONDS, "not built", folder, {"CGO_ENABLED": "0"})
    for name, built in _BUILT_AS.items():
        (partial / built).rename(partial / name)
    shutil.rmtree(programs, ignore_errors=True)
    partial.rename(programs)


def main() -> int:
    """Build the programs and print their folder; 1 if that fails."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends what it started, too
    os.nice(10)  # linters and tests run meanwhile
    try:
        programs = find_control_plane(HERE, CACHE, lambda text: print(text, file=sys.stderr))
    except UnavailableError as reason:
        print(reason, file=sys.stderr)
        return 1
    print(programs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
