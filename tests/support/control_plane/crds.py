"""The definitions of the kinds of Kueue, JobSet, LeaderWorkerSet, Ray, Pathways and GKE's ComputeClass.

They belong to other projects and are not part of this one: they are read from the folder that ``GKE_TPU_CRDS`` names,
from ``../shared/reference/crds`` beside the checkout, or from ``.cache/kubernetes/crds``.
"""

import os
import pathlib
import time
from collections.abc import Iterator

import yaml
from support.control_plane.client import Client, Object, Refused
from support.tool_installation import CACHE, UnavailableError

_VARIABLE = "GKE_TPU_CRDS"
_BESIDE = pathlib.Path(__file__).parents[4] / "shared" / "reference" / "crds"
_LEFT_OUT = ("multikueueclusters", "multikueueconfigs", "rayservices", "workloads")
"""Nothing here creates them, and they take a third of the time."""
_SECONDS = 120


def find_crds() -> list[Object]:
    """The definitions.

    Raises:
        UnavailableError: no folder has them.
    """
    folders = [pathlib.Path(os.environ[_VARIABLE])] if _VARIABLE in os.environ else [_BESIDE, CACHE / "kubernetes/crds"]
    for folder in folders:
        files = [path for path in sorted(folder.glob("*.yaml")) if not path.stem.endswith(_LEFT_OUT)]
        if files:
            return [yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader) for path in files]
    tried = " and ".join(str(folder) for folder in folders)
    raise UnavailableError(f"no CRDs in {tried}; {_VARIABLE} can name another folder")


def install_crds(client: Client, definitions: list[Object]) -> None:
    """Create the kinds, and wait until the server serves all of them."""
    for definition in definitions:
        client.create(definition, "")
    end = time.monotonic() + _SECONDS
    for version, kind in [served for definition in definitions for served in _served(definition)]:
        while True:
            try:
                client.list(version, kind, "default", limit="1")
                break
            except Refused:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)


def _served(definition: Object) -> Iterator[tuple[str, str]]:
    spec = definition["spec"]
    for version in spec["versions"]:
        if version["served"]:
            yield f"{spec['group']}/{version['name']}", spec["names"]["kind"]
