"""Gets the programs that tests need and that are not here yet: the Pulumi CLI and the Kubernetes control plane.

``tools/test --all`` starts it in the background. It prints what it gets, how long that takes, and its progress.
"""

import os
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support.control_plane import binaries
from support.engine import pulumi_cli
from support.go_tools import YAML_HOST
from support.tool_installation import CACHE, UnavailableError, module_version

PULUMI, CONTROL_PLANE = "Pulumi CLI", "Kubernetes control plane"


def missing(cache: pathlib.Path) -> dict[str, str]:
    """Name of each program that is not here -> what getting it means."""
    found = {}
    pulumi = module_version(pulumi_cli.HERE, pulumi_cli.MODULE)
    if pulumi_cli.present(cache / "pulumi" / pulumi, cache) is None:
        found[PULUMI] = f"{pulumi}: a download of 1 minute from get.pulumi.com, or a build of 5 to 10 minutes"
    if binaries.cached(binaries.HERE, cache) is None:
        found[CONTROL_PLANE] = (
            f"{module_version(binaries.HERE, binaries.MODULE)}: a download of 1 minute from dl.k8s.io and github.com, "
            "or a build of 3 to 10 minutes that needs 6 GB of disk"
        )
    return found


def announcement(programs: dict[str, str]) -> str:
    """What a first run gets, in lines; empty if everything is here."""
    if not programs:
        return ""
    head = "First run: the tests need programs that are not here yet. They are fetched in the background, once:"
    tail = "Builds need Go and take up to an hour on a busy machine. The tests of these programs come last and wait."
    return "\n".join([head, *(f"- {name} {text}" for name, text in programs.items()), tail])


def main() -> int:
    """Announce and get missing programs, one after the other; 1 if something is not available."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends what it started, too
    programs = missing(CACHE)
    if not programs:
        return 0
    print(announcement(programs), file=sys.stderr, flush=True)
    os.nice(10)  # linters and tests run meanwhile
    status = 0
    for find in (
        lambda: pulumi_cli.find_pulumi(pulumi_cli.HERE, CACHE, _tell),
        lambda: binaries.find_control_plane(binaries.HERE, CACHE, _tell),
        lambda: YAML_HOST.build(_tell),
    ):
        try:
            find()
        except UnavailableError as reason:
            _tell(str(reason))
            status = 1
    return status


def _tell(text: str) -> None:
    print(f"[first run] {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
