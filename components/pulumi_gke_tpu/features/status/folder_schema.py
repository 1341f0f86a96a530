"""The JSON Schema of the folder of a snapshot: an object with the name and the content of each file."""

from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.reads import GcloudRead, KubectlRead
from pulumi_gke_tpu.features.status.script import FORMAT

_ENTRIES = {"type": "array", "items": {"type": "object"}}


def snapshot_schema() -> dict[str, Any]:
    """The JSON Schema of a folder."""
    reads = read_catalog().reads
    version = "The version of the folder. A new file keeps it; another form of a file raises it."
    taken = {"type": "string", "format": "date-time", "description": "When read.sh was run."}
    manifest = {
        "type": "object",
        "properties": {"format": {"const": FORMAT, "description": version}, "taken": taken},
        "required": ["format", "taken"],
    }
    answers = dict(_answer(name, read) for name, read in reads.gcloud.items())
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Snapshot",
        "description": "The folder of `gke-tpu snapshot`: the name of each file, and its content. No file has Secrets, "
        "environment variables, annotations, metadata of nodes, or keys of clusters.",
        "type": "object",
        "properties": {"snapshot.json": manifest},
        "required": ["snapshot.json"],
        "patternProperties": {**answers, **dict(map(_objects, reads.kubectl.items())), **dict(_texts())},
        "additionalProperties": False,
    }


def _answer(name: str, read: GcloudRead) -> tuple[str, dict[str, Any]]:
    """An answer of gcloud: its file names, and its form."""
    told = {"description": f"{read.title}: gcloud {' '.join(read.command)}"}
    form = _ENTRIES if read.is_list else {"type": "object"}
    return rf"^{name}-.+\.json$", told | form


def _objects(item: tuple[str, KubectlRead]) -> tuple[str, dict[str, Any]]:
    """The objects of a kind: those of each line, or a list as kubectl writes it."""
    kind, _ = item
    listed = {"type": "object", "properties": {"items": _ENTRIES}, "required": ["items"]}
    name = kind.partition(".")[0]
    told = f"kubectl get {kind}: an object of JSON on each line, or a list as kubectl writes it."
    return rf"^{name}-.+\.jsonl$", {"description": told, "anyOf": [_ENTRIES, listed]}


def _texts() -> Iterator[tuple[str, dict[str, Any]]]:
    yield r"\.err$", {"type": "string", "description": "The error of the command whose answer is missing."}
    told = {"type": "string", "description": "The script, its role, and what gcloud printed at the login."}
    yield r"^(?:read\.sh|role\.yaml|credentials-.+\.txt)$", told
