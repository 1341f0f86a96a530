"""Reads the folder of a snapshot: every answer that the plan needs, or why it is missing."""

import contextlib
import datetime
import pathlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.objects.outlines import LARGEST, LIMITS, json_lines, outlined, why_missing
from pulumi_gke_tpu.core.resources.answers import is_answer, kind_of, read_answer
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.findings import Path, Position, printable
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError, parse_json
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.yamlfile.file import UnreadableError, read_bytes
from pulumi_gke_tpu.features.status.requests import BLOCKS, ERRORS, SUB_BLOCKS, Request
from pulumi_gke_tpu.features.status.script import FORMAT

_MOST_GROUPS = 5_000
_MANIFEST = "snapshot.json"
_CAPACITY = ("cluster", "reservations", "policies", "server-config", BLOCKS, SUB_BLOCKS)
_SEVERAL = ("quota", BLOCKS, SUB_BLOCKS)
"""Requests that can be made several times for a project."""
_QUOTA = lazy_pattern(r"-(?=[A-Z][A-Z0-9-]*-per-project)")
"""Between the project and the ID of a quota in the name of a file."""
_RAW = ("cluster", "node-pools", "reservations", "subnetworks", "policies")


_GONE = lazy_pattern(r"(?i)code=404|not_found|(?<!command )not found")
"""What gcloud says of a cluster that does not exist; a shell says the last words of a command."""
PoolPlace = tuple[str, str, str]
"""A node pool: the name and location of its cluster, and its own name."""


class NoSnapshotError(Exception):
    """The folder has no snapshot. The message has the reason."""


def referred(entry: Mapping[str, Any], key: str) -> str:
    """The name of what an entry refers to by its URL: a zone, a region, a network."""
    return text(entry.get(key)).rpartition("/")[2]


@frozen
class UnreadAnswer:
    """An answer that the folder does not have."""

    name: str
    """The name of its request."""
    of: str
    """The key of the cluster, or the project."""
    title: str
    reason: str
    file: str


@frozen(eq=False)
class Snapshot:
    """What the folder has. Answers are by the name of their request and the key of the cluster, or the project."""

    taken: datetime.datetime
    answers: Mapping[tuple[str, str], Any] = field(repr=False)
    resources: tuple[RawResource, ...]
    objects: Mapping[str, tuple[KubernetesObject, ...]]
    """The key of a cluster -> its objects."""
    nodes: Mapping[tuple[str, str], Sequence[KubernetesObject]]
    """The key of a cluster and the name of a node pool -> its nodes."""
    errors: Mapping[str, tuple[Any, ...]]
    """The name of an instance group -> the errors of its instances."""
    not_read: tuple[UnreadAnswer, ...]

    def has(self, name: str, of: str) -> bool:
        """Whether an answer was read."""
        return (name, of) in self.answers

    def has_pools(self, cluster: str) -> bool:
        """Whether the node pools of a cluster were read: in their own answer, or in one about the whole cluster."""
        whole = mapping(self.answers.get(("cluster", cluster)))
        return self.has("node-pools", cluster) or isinstance(whole.get("nodePools"), list)

    @property
    def gone(self) -> frozenset[str]:
        """The keys of clusters that GKE does not have."""
        return frozenset(each.of for each in self.not_read if each.name == "cluster" and _GONE.search(each.reason))

    def entries(self, name: str, of: str) -> Iterator[Mapping[str, Any]]:
        """The entries of an answer that is a list."""
        return map(mapping, items(self.answers.get((name, of))))

    def clusters(self, cluster: Cluster) -> Iterator[RawResource]:
        """What was read with the name and the location of a cluster of the plan."""
        for raw in self.resources:
            if raw.type == CLUSTER and (raw.name, raw.values.known_text("location")) == (
                cluster.name,
                cluster.location,
            ):
                yield raw

    def node_pools(self) -> Iterator[tuple[PoolPlace, RawResource]]:
        """Every node pool that was read."""
        for raw in self.resources:
            if raw.type == NODE_POOL:
                cluster, location = (raw.values.known_text(key) for key in ("cluster", "location"))
                yield (cluster.rpartition("/")[2], location, raw.name), raw


def read_snapshot(folder: pathlib.Path, requests: Iterable[Request], catalog: Catalog) -> Snapshot:
    """Read the answers of a folder.

    Raises:
        NoSnapshotError: the folder has no answers, or those of another version.
    """
    answers: dict[tuple[str, str], Any] = {}
    resources: list[RawResource] = []
    objects: dict[str, list[KubernetesObject]] = {}
    errors: dict[str, tuple[Any, ...]] = {}
    missing: list[UnreadAnswer] = []
    taken = _taken(folder)
    for request in requests:
        of = request.cluster.key if request.cluster is not None else request.project
        if request.name == ERRORS:
            errors |= _errors(folder, of, catalog)
            continue
        try:
            data = _answer(folder / request.file, request.name, catalog)
        except (UnreadableError, JsonError) as error:
            reason = _reason(folder, request, str(error))
            if reason:
                missing.append(UnreadAnswer(request.name, of, request.title, reason, request.file))
            continue
        of = f"{of}/{request.file}" if request.name in _SEVERAL else of
        answers[request.name, of] = data
        if request.command[0] == "kubectl":
            objects.setdefault(of, []).extend(outlined(data, request.file))
        elif request.name in _RAW and is_answer(data):
            resources += read_answer(data, request.file, _locator(request.file), catalog.provider).found
    for raw in resources:
        if raw.type == NODE_POOL:
            _without_metadata(raw)
    # A whole answer about a cluster has its node pools, too.
    distinct = {each if "/" in (each := raw.origin.address) else id(raw): raw for raw in resources}
    found = {key: tuple(those) for key, those in objects.items()}
    nodes = _nodes(found, catalog.kubernetes.workloads.nodes.pool)
    return Snapshot(taken, answers, tuple(distinct.values()), found, nodes, errors, tuple(missing))


def read_capacity(folder: pathlib.Path, catalog: Catalog) -> Snapshot:
    """The answers about capacity alone, whatever plan they were read for. Files that cannot be read are left out.

    Raises:
        NoSnapshotError: the folder has no answers, or those of another version.
    """
    answers: dict[tuple[str, str], object] = {}
    for name in (*_CAPACITY, "quota"):
        for path in sorted(folder.glob(f"{name}-*.json"))[:_MOST_GROUPS]:
            of = path.name.removeprefix(f"{name}-").removesuffix(".json")
            if name == "quota":
                of = f"{_QUOTA.split(of)[0]}/{path.name}"
            with contextlib.suppress(UnreadableError, JsonError):
                answers[name, of] = _answer(path, name, catalog)
    return Snapshot(_taken(folder), answers, (), {}, {}, {}, ())


def _taken(folder: pathlib.Path) -> datetime.datetime:
    try:
        data = mapping(parse_json(read_bytes(folder / _MANIFEST, LARGEST), LIMITS))
        time = datetime.datetime.fromisoformat(text(data.get("taken")).replace("Z", "+00:00"))
    except UnreadableError as error:
        raise NoSnapshotError(f"{_MANIFEST}: {error}. Run read.sh in the folder first.") from None
    except (JsonError, ValueError):
        raise NoSnapshotError(f"{_MANIFEST} has not the form that read.sh writes. Run it again.") from None
    if data.get("format") != FORMAT:
        raise NoSnapshotError(f"The snapshot has another format than {FORMAT}. Write read.sh again, and run it.")
    return time if time.tzinfo is not None else time.replace(tzinfo=datetime.timezone.utc)


def _answer(path: pathlib.Path, name: str, catalog: Catalog) -> object:
    """The content of a file: JSON, or for kubectl an object of JSON on each line.

    Raises:
        UnreadableError: the file cannot be read.
        JsonError: it has not the form of the answer with this name.
    """
    content, read = read_bytes(path, LARGEST), catalog.reads.gcloud.get(name)
    data = parse_json(content, LIMITS) if read is not None else json_lines(content)
    is_list = isinstance(data, list) and all(isinstance(each, dict) for each in data)
    if read is None:
        has_form = is_list or (isinstance(data, dict) and isinstance(data.get("items", [data]), list))
    else:
        has_form = is_list if read.is_list else isinstance(data, dict)
    if name == "node-pools" and isinstance(data, list):
        has_form = all(kind_of(each) == NODE_POOL for each in data)
    if name == "cluster" and isinstance(data, dict):
        has_form = bool(text(data.get("name")))
    if not has_form:
        raise JsonError((), "it has not the form that read.sh writes")
    return data


def _reason(folder: pathlib.Path, request: Request, problem: str) -> str:
    """Why an answer is missing; empty if there is nothing to read, because its operator is not installed."""
    try:
        said = read_bytes(folder / f"{request.file}.err", LARGEST).decode("utf-8", "replace")
    except UnreadableError:
        exists = (folder / request.file).exists()
        return f"{request.file}: {printable(problem)}" if exists else "read.sh did not read it"
    return why_missing(said)


def _errors(folder: pathlib.Path, key: str, catalog: Catalog) -> dict[str, tuple[Any, ...]]:
    """The errors of each instance group of a cluster, as far as they were read."""
    found: dict[str, tuple[Any, ...]] = {}
    for path in sorted(folder.glob(f"{ERRORS}-{key}.*.json"))[:_MOST_GROUPS]:
        try:
            data = _answer(path, ERRORS, catalog)
        except (UnreadableError, JsonError):
            continue
        found[path.name.removeprefix(f"{ERRORS}-{key}.").removesuffix(".json")] = tuple(items(data))
    return found


def _locator(file: str) -> Callable[[Path], Position]:
    def locate(path: Path) -> Position:
        return Position(file, 1, 1, 2)

    return locate


def _without_metadata(raw: RawResource) -> None:
    """Metadata of nodes is never read, so it is not known."""
    for values in (raw.values, raw.before):
        config = values.data.get("nodeConfig") if values is not None else None
        if isinstance(config, dict) and "metadata" not in config:
            config["metadata"] = UNKNOWN


def _nodes(
    objects: Mapping[str, Iterable[KubernetesObject]], label: str
) -> dict[tuple[str, str], list[KubernetesObject]]:
    found: dict[tuple[str, str], list[KubernetesObject]] = {}
    for key, those in objects.items():
        for each in those:
            if each.is_a("Node"):
                found.setdefault((key, text(each.labels.get(label))), []).append(each)
    return found
