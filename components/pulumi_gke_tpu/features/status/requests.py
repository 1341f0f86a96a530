"""What a snapshot of a plan reads: one request for each file of the folder."""

import itertools
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.reads import GcloudRead, KubectlRead, ListedFields
from pulumi_gke_tpu.core.estimate.quota import quota_needs
from pulumi_gke_tpu.core.fleet import Cluster, Fleet
from pulumi_gke_tpu.core.fleet.addresses import subnetwork_of
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.messages.patterns import with_parts
from pulumi_gke_tpu.core.resources.api_names import api_name

ERRORS = "errors"
"""The request that is made for each instance group of a cluster."""
BLOCKS, SUB_BLOCKS = "blocks", "sub-blocks"
"""The requests about the parts of reservations."""
_CONFIG = "config"


@frozen
class Request:
    """One answer of the snapshot: the file that it fills and the command that prints it."""

    name: str
    """The entry of the catalog: ``cluster``, ``pods``."""
    title: str
    """For people: ``the node pools of train-east``."""
    file: str
    """The file in the folder."""
    command: tuple[str, ...]
    permissions: tuple[str, ...]
    cluster: Cluster | None = None
    project: str = ""


def requests_of(fleet: Fleet, catalog: Catalog) -> tuple[Request, ...]:
    """Every request, in the order of the script. The files have names that depend on the plan alone."""
    reads = catalog.reads
    projects = dict.fromkeys(cluster.project for cluster in fleet.clusters)
    wanted = ((cluster, group.plan.capacity.reservation) for cluster, group in fleet.groups())
    owners = dict.fromkeys(item.project or cluster.project for cluster, item in wanted if item is not None)
    networks = (place for cluster in fleet.clusters if (place := subnetwork_of(cluster)) is not None)
    beside = {"reservations": owners, "subnetworks": dict.fromkeys(place.project for place, _ in networks)}
    found: list[Request] = []
    for cluster in fleet.clusters:
        parts = {"cluster": cluster.name, "location": cluster.location, "project": cluster.project}
        for name, read in reads.gcloud.items():
            if read.of == "cluster":
                found.append(_request(name, catalog, parts, cluster.key, cluster=cluster))
        found += (_objects(kind, each, cluster) for kind, each in reads.kubectl.items())
    machines = "|".join(sorted({group.shape.machine_type for _, group in fleet.groups()})) or "none"
    for name, read in reads.gcloud.items():
        for project in {**projects, **beside.get(name, {})} if read.of == "project" else ():
            parts = {"project": project, "machine_types": machines}
            found.append(_request(name, catalog, parts, project))
    for steps in dict.fromkeys(_blocks(fleet)):
        parts = dict(zip(("project", "zone", "reservation", "block"), steps, strict=False))
        found.append(_request(SUB_BLOCKS if "block" in parts else BLOCKS, catalog, parts, *steps))
    for project, quota in dict.fromkeys(_quotas(fleet, catalog)):
        parts = {"project": project, "quota": quota}
        found.append(_request("quota", catalog, parts, f"{project}-{quota}"))
    return tuple(found)


def permissions_of(requests: Iterable[Request]) -> list[str]:
    """The permissions that the requests need, sorted."""
    return sorted({each for request in requests for each in request.permissions})


def _blocks(fleet: Fleet) -> Iterator[tuple[str, ...]]:
    """The project, zone and name of each reservation; once more with the block if a group names a sub-block of it."""
    for cluster, group in fleet.groups():
        named = group.plan.capacity.reservation
        if named is None:
            continue
        for zone in group.zones:
            place = (named.project or cluster.project, zone, named.name)
            yield place
            if named.block is not None and named.sub_block is not None:
                yield (*place, named.block)


def _quotas(fleet: Fleet, catalog: Catalog) -> Iterator[tuple[str, str]]:
    for need in quota_needs(fleet, catalog):
        for metric in (need.metric, need.fallback):
            if metric is not None and metric.quota_id:
                yield fleet.project, metric.quota_id


def file_of(name: str, *of: str) -> str:
    """The file with the answer of gcloud to a request about something: a cluster, a project, or a place in steps."""
    return f"{name}-{'.'.join(of)}.json"


def _request(name: str, catalog: Catalog, parts: dict[str, str], *of: str, cluster: Cluster | None = None) -> Request:
    """A request of gcloud. ``of`` is the end of its file's name."""
    read = catalog.reads.gcloud[name]
    fields = ",".join((*read.fields, *_properties(read, catalog)))
    words = list(read.command) if name == ERRORS else [with_parts(word, parts) for word in read.command]
    command = ("gcloud", *words, f"--format=json({fields})" if fields else "--format=json", "--quiet")
    title = f"{with_parts(read.title, parts)} of {parts.get('cluster') or parts['project']}"
    return Request(name, title, file_of(name, *of), command, read.permissions, cluster, parts["project"])


def _properties(read: GcloudRead, catalog: Catalog) -> Iterator[str]:
    """The settable properties in the spelling of the API, those of nodes one by one."""
    if not read.properties:
        return
    found: dict[str, None] = {}
    for path in catalog.provider.resources[read.properties].properties:
        steps = api_name(read.properties, path).split('["')[0].split(".")
        found[".".join(steps[:2]) if steps[0] == _CONFIG else steps[0]] = None
    yield from (each for each in found if each not in (*read.fields, *read.left_out, _CONFIG))


def _objects(kind: str, read: KubectlRead, cluster: Cluster) -> Request:
    form = "json" if read.whole else f"jsonpath={_template(read)}"
    command = ("kubectl", "get", kind, "--all-namespaces", "--chunk-size=500", "--request-timeout=60s", "-o", form)
    permissions = (read.permission, "container.clusters.connect", "container.clusters.get")
    title = f"{kind.partition('.')[0]} of {cluster.name}"
    return Request(kind, title, f"{kind.partition('.')[0]}-{cluster.key}.jsonl", command, permissions, cluster)


def _template(read: KubectlRead) -> str:
    """A template of kubectl that writes an object of JSON on each line. Values are in lists: a missing one is empty."""
    texts = ("kind", "apiVersion", "metadata.name", "metadata.namespace", *read.texts)
    lists = (_entries(name, fields) for name, fields in read.lists.items())
    members = _text(",").join(itertools.chain(_members(texts, read.values), lists))
    return "{range .items[*]}" + _text("{") + members + _text("}") + r'{"\n"}' + "{end}"


def _members(texts: Iterable[str], values: Iterable[str]) -> Iterator[str]:
    for name in texts:
        yield _text(f'"{name}":"') + "{." + name + "}" + _text('"')
    for name in values:
        yield _text(f'"{name}":[') + "{." + name + "}" + _text("]")


def _entries(name: str, fields: ListedFields) -> str:
    """A list; its last entry is null, because each entry ends with a comma."""
    entry = _text("{") + _text(",").join(_members(fields.texts, fields.values)) + _text("},")
    return _text(f'"{name}":[[') + "{range ." + name + "[*]}" + entry + "{end}" + _text("null]]")


def _text(literal: str) -> str:
    """Literal text of a template."""
    return '{"' + literal.replace('"', r"\"") + '"}'
