"""The definitions of the Gateway API and of its inference extension, from the modules that the Go proxy has.

They belong to other projects and are not part of this one. Go keeps a module in its cache, where later runs find it.
"""

import json
import pathlib
import shutil
import subprocess
import tempfile

import yaml
from support.control_plane.client import Object
from support.tool_installation import CACHE, Tell, UnavailableError, alone

_STANDARD = "config/crd/standard/gateway.networking.k8s.io"
MODULES = {
    "sigs.k8s.io/gateway-api@v1.3.0": (f"{_STANDARD}_gateways.yaml", f"{_STANDARD}_httproutes.yaml"),
    "sigs.k8s.io/gateway-api-inference-extension@v1.0.0": (
        "config/crd/bases/inference.networking.k8s.io_inferencepools.yaml",
    ),
}
"""Module and version -> the paths of definitions in it."""
_DOWNLOAD_SECONDS = 180


def find_module(name: str, tell: Tell, cache: pathlib.Path = CACHE) -> pathlib.Path:
    """The folder of a module.

    Raises:
        UnavailableError: Go is missing, or the proxy does not have the module.
    """
    if shutil.which("go") is None:
        raise UnavailableError("no program `go`, which downloads the module")
    with alone(cache / "kubernetes" / "modules.lock", name, tell), tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "go.mod").write_text("module crds\n", encoding="utf-8")
        command = ["go", "mod", "download", "-json", name]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, check=False, timeout=_DOWNLOAD_SECONDS
            )
        except subprocess.TimeoutExpired as late:
            raise UnavailableError(f"{name}: not downloaded in {late.timeout:.0f} s") from None
    found = json.loads(done.stdout) if done.stdout.startswith("{") else {}
    if done.returncode or "Dir" not in found:
        raise UnavailableError(f"{name}: {found.get('Error') or done.stderr.strip()}")
    return pathlib.Path(found["Dir"])


def find_module_crds(tell: Tell) -> list[Object]:
    """The definitions.

    Raises:
        UnavailableError: Go is missing, or the proxy does not have a module.
    """
    files = [find_module(name, tell) / path for name, paths in MODULES.items() for path in paths]
    return [yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader) for file in files]
