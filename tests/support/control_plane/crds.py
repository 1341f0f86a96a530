"""The definitions of the kinds of Kueue, JobSet, LeaderWorkerSet, Ray, Pathways and GKE's ComputeClass.

They belong to other projects and are not part of this one. They are in the folder that ``GKE_TPU_CRDS`` names, in
``../shared/reference/crds`` beside the checkout, or downloaded once from the projects into ``.cache/kubernetes/crds``.
"""

import os
import pathlib
import shutil
import time
import urllib.request
from collections.abc import Iterator, Sequence

import yaml
from support.control_plane.client import Client, Object, Refused
from support.tool_installation import CACHE, Tell, UnavailableError, alone, tell_nothing

BESIDE = pathlib.Path(__file__).parents[4] / "shared" / "reference" / "crds"
SITE = "https://raw.githubusercontent.com"
_VARIABLE = "GKE_TPU_CRDS"
_KUEUE = (
    "admissionchecks",
    "clusterqueues",
    "cohorts",
    "localqueues",
    "multikueueclusters",
    "multikueueconfigs",
    "provisioningrequestconfigs",
    "resourceflavors",
    "topologies",
    "workloadpriorityclasses",
)
PATHS = (
    *(f"kubernetes-sigs/kueue/v0.19.2/config/components/crd/bases/kueue.x-k8s.io_{name}.yaml" for name in _KUEUE),
    "kubernetes-sigs/jobset/v0.12.0/config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml",
    "kubernetes-sigs/lws/v0.10.0/config/crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml",
    "ray-project/kuberay/v1.7.0/ray-operator/config/crd/bases/ray.io_rayclusters.yaml",
    "ray-project/kuberay/v1.7.0/ray-operator/config/crd/bases/ray.io_rayjobs.yaml",
    "ray-project/kuberay/v1.7.0/ray-operator/config/crd/bases/ray.io_rayservices.yaml",
    "google/pathways-job/v0.1.4/config/crd/bases/pathways-job.pathways.domain_pathwaysjobs.yaml",
    "GoogleCloudPlatform/compute-class-api/8067eaeb319407121f5559b07319f5fda7b6725d/cloud.google.com_computeclasses.yaml",
)
"""Project, tag and path of each definition. The other kinds of these projects are not created here."""
NAMES = tuple(path.rpartition("/")[2] for path in PATHS)
CHECKPOINTING = (
    "GoogleCloudPlatform/high-scale-checkpointing-controller/e750704a82ffb203e5e1d9e94758dbe148a9af6e/"
    "crd/checkpointconfiguration.yaml"
)
"""The kind of GKE's add-on for checkpoints, which one test needs and not every folder with the others has."""
_ANSWER_SECONDS = 10
_SERVED_SECONDS = 120


def find_crds(
    beside: pathlib.Path = BESIDE, cache: pathlib.Path = CACHE, site: str = SITE, tell: Tell = tell_nothing
) -> list[Object]:
    """The definitions.

    Raises:
        UnavailableError: no folder has all of them, and they cannot be downloaded.
    """
    given, kept = os.environ.get(_VARIABLE), cache / "kubernetes" / "crds"
    folders = [pathlib.Path(given)] if given else [beside, kept]
    with alone(cache / "kubernetes" / "crds.lock", "the CRDs", tell):
        found = next((folder for folder in folders if all((folder / name).is_file() for name in NAMES)), None)
        if found is None:
            tried = f"no CRDs in {' and '.join(map(str, folders))}; {_VARIABLE} can name another folder"
            if given:
                raise UnavailableError(tried)
            try:
                _download(site, kept)
            except OSError as problem:
                raise UnavailableError(f"{tried}; not downloaded: {problem}") from None
            found = kept
    texts = [(found / name).read_text(encoding="utf-8") for name in NAMES]
    return [yaml.load(text, Loader=yaml.CSafeLoader) for text in texts]


def find_crd(path: str, cache: pathlib.Path = CACHE, site: str = SITE, tell: Tell = tell_nothing) -> Object:
    """One definition that is not among the others.

    Raises:
        UnavailableError: it cannot be downloaded.
    """
    kept = cache / "kubernetes" / "further_crds" / path.rpartition("/")[2]
    with alone(cache / "kubernetes" / "crds.lock", "the CRDs", tell):
        if not kept.is_file():
            try:
                _download(site, kept.parent, (path,))
            except OSError as problem:
                raise UnavailableError(f"no {kept}; not downloaded: {problem}") from None
    return yaml.load(kept.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)  # type: ignore[no-any-return]


def _download(site: str, folder: pathlib.Path, paths: Sequence[str] = PATHS) -> None:
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for path in paths:
        name = path.rpartition("/")[2]
        with urllib.request.urlopen(f"{site}/{path}", timeout=_ANSWER_SECONDS) as answer:
            (partial / name).write_bytes(answer.read())
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)


def install_crds(client: Client, definitions: list[Object]) -> None:
    """Create the kinds, and wait until the server serves all of them."""
    for definition in definitions:
        client.create(definition, "")
    end = time.monotonic() + _SERVED_SECONDS
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
