"""The stand-in gcp provider: Pulumi's provider protocol over the in-memory API."""

import json
from typing import Any

from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2
from support.gcp_standin.checks import completed, problems
from support.gcp_standin.cloud import Cloud
from support.gcp_standin.difference import Difference, differences
from support.gcp_standin.identity import has_made_up_name, id_of, named, placed
from support.gcp_standin.imports import OF_CLUSTERS, as_imported, inputs_of
from support.gcp_standin.knowledge import ACCOUNT, CLUSTER, POLICY, POOL, Kind, kind_of
from support.gcp_standin.outputs import entry, forecast, outputs, secrets
from support.gcp_standin.planned import plain
from support.gcp_standin.record import Record
from support.gcp_standin.state import after_creation, after_update, read_inputs, sends
from support.gke.refusals import RefusedError
from support.provider_protocol import wire
from support.provider_protocol.service import ProviderService

_KINDS = {
    ("add", False): provider_pb2.PropertyDiff.ADD,
    ("add", True): provider_pb2.PropertyDiff.ADD_REPLACE,
    ("delete", False): provider_pb2.PropertyDiff.DELETE,
    ("delete", True): provider_pb2.PropertyDiff.DELETE_REPLACE,
    ("update", False): provider_pb2.PropertyDiff.UPDATE,
    ("update", True): provider_pb2.PropertyDiff.UPDATE_REPLACE,
}


class Provider(ProviderService):
    """Answers the engine as the real gcp provider does, for the types that the components register."""

    def __init__(self, cloud: Cloud, version: str) -> None:
        super().__init__(version)
        self.cloud = cloud

    def GetSchema(self, request: Any, context: Any) -> Any:  # noqa: N802 - the names of the gRPC methods
        """The part of the schema that the schema of the plugin refers to, and a resource for programs in YAML."""
        text = {"type": "string"}
        properties = {
            CLUSTER: ("name", "endpoint"),
            POOL: ("name", "version"),
            ACCOUNT: ("accountId", "project", "displayName"),
        }
        schema = {
            "name": "gcp",
            "version": self.version,
            "meta": {"moduleFormat": "(.*)(?:/[^/]*)"},
            "resources": {
                token: {"properties": dict.fromkeys(names, text), "inputProperties": dict.fromkeys(names, text)}
                for token, names in properties.items()
            },
        }
        return provider_pb2.GetSchemaResponse(schema=json.dumps(schema))

    def Check(self, request: Any, context: Any) -> Any:  # noqa: N802
        kind, inputs = _kind(request, context), wire.read(request.news)
        failures = [
            provider_pb2.CheckFailure(property=problem.path, reason=problem.reason)
            for problem in problems(kind, inputs)
        ]
        old = wire.read(request.olds)
        inputs = named(kind, completed(kind, inputs), old, _name(request), request.randomSeed)
        return provider_pb2.CheckResponse(inputs=wire.write(inputs), failures=failures)

    def Diff(self, request: Any, context: Any) -> Any:  # noqa: N802
        kind, state, inputs = _kind(request, context), wire.read(request.olds), wire.read(request.news)
        if any(isinstance(inputs.get(path), wire.Unknown) for path in kind.crashing):
            wire.fail(context, "Bridged provider panic (method=Diff): can't use ElementIterator on unknown value")
        found = _differences(kind, state, inputs, request.ignoreChanges)
        replaces = sorted({str(item.steps[0]) for item in found if item.replaces})
        explicit = not has_made_up_name(inputs)
        changes = provider_pb2.DiffResponse.DIFF_SOME if found else provider_pb2.DiffResponse.DIFF_NONE
        return provider_pb2.DiffResponse(
            changes=changes,
            diffs=sorted({str(item.steps[0]) for item in found}),
            replaces=replaces,
            deleteBeforeReplace=bool(replaces) and explicit,
            hasDetailedDiff=True,
            detailedDiff={item.path: provider_pb2.PropertyDiff(kind=_KINDS[item.how, item.replaces]) for item in found},
        )

    def Create(self, request: Any, context: Any) -> Any:  # noqa: N802
        kind, given = _kind(request, context), wire.read(request.properties)
        inputs = placed(kind, plain(given))
        if request.preview:
            return provider_pb2.CreateResponse(properties=_written(kind, forecast(kind, inputs)))
        reason = _refused_by_the_provider(kind, inputs, has_made_up_name(given))
        if reason is not None:
            wire.fail(context, reason)
        state = after_creation(kind, inputs)
        resource_id = id_of(kind, state)
        try:
            record = self.cloud.create(kind, _name(request), resource_id, state)
        except RefusedError as refusal:
            wire.fail(context, f"googleapi: Error {refusal.status}: {refusal}")
        self.cloud.wait_for(record)
        properties = _written(kind, stored_outputs(record, read=False))
        if record.status == "ERROR":
            message = f'NodePool {state["name"]} was created in the error state "ERROR"'
            wire.fail_partly(context, message, resource_id, properties)
        return provider_pb2.CreateResponse(id=resource_id, properties=properties)

    def Read(self, request: Any, context: Any) -> Any:  # noqa: N802
        _kind(request, context)
        record = self.cloud.read(request.id)
        if record is None:
            return provider_pb2.ReadResponse()
        old = wire.read(request.properties)
        if old:
            keep_from_the_state(record, old)
            stored = stored_outputs(record, read=True)
            inputs = read_inputs(wire.read(request.inputs), stored)
        else:
            as_imported(record.kind, record.state)
            stored = stored_outputs(record, read=True)
            given = wire.read(request.inputs)
            inputs = {name: stored.get(name, value) for name, value in given.items()} or inputs_of(record.kind, stored)
        return provider_pb2.ReadResponse(
            id=request.id, properties=_written(record.kind, stored), inputs=wire.write(inputs)
        )

    def Update(self, request: Any, context: Any) -> Any:  # noqa: N802
        kind, old, inputs = _kind(request, context), wire.read(request.olds), plain(wire.read(request.news))
        found = _differences(kind, old, inputs, request.ignoreChanges)
        state = after_update(kind, old, inputs, found)
        if request.preview:
            return provider_pb2.UpdateResponse(properties=_written(kind, outputs(kind, state, request.id, read=True)))
        state = {name: value for name, value in state.items() if name not in ("id", "nodePools")}
        try:
            self._send(kind, request, old, inputs, found)
        except RefusedError as refusal:
            # Pools and clusters keep the old state, others show what was asked for.
            kept = request.olds if kind.token in (POOL, CLUSTER) else _written(kind, state)
            wire.fail_partly(context, f"googleapi: Error {refusal.status}: {refusal}", request.id, kept)
        self.cloud.keep(request.id, state)
        record = self.cloud.read(request.id)
        assert record is not None
        return provider_pb2.UpdateResponse(properties=_written(kind, stored_outputs(record, read=True)))

    def Delete(self, request: Any, context: Any) -> Any:  # noqa: N802
        kind, state = _kind(request, context), wire.read(request.properties)
        if kind.token == CLUSTER and state.get("deletionProtection"):
            wire.fail(
                context,
                "Cannot destroy cluster because deletion_protection is set to true."
                " Set it to false to proceed with cluster deletion.",
            )
        try:
            self.cloud.delete(_name(request), request.id)
        except RefusedError as refusal:
            wire.fail(context, f"googleapi: Error {refusal.status}: {refusal}")
        return empty_pb2.Empty()

    def _send(
        self, kind: Kind, request: Any, old: dict[str, Any], inputs: dict[str, Any], found: list[Difference]
    ) -> None:
        """One request for each group of properties that differ, in the order of the groups in the real provider."""
        sent = [item for item in found if sends(kind, item, old, inputs)]
        resource_id = request.id
        if kind.token == POLICY and any(item.path == "name" for item in sent):
            resource_id = id_of(kind, {**old, "name": inputs["name"]})
        part = old
        for what in dict.fromkeys(kind.requests.values()):
            items = [item for item in sent if kind.request_for(item.plain_path) == what]
            if items:
                part = after_update(kind, part, inputs, items)
                self.cloud.update(_name(request), resource_id, what, part)


def _kind(request: Any, context: Any) -> Kind:
    token = request.urn.split("::")[2].rsplit("$", 1)[-1]
    try:
        return kind_of(token)
    except KeyError:
        wire.fail(context, f"the stand-in does not know {token}")


def _name(request: Any) -> str:
    return str(request.urn.split("::", 3)[3])


def _differences(kind: Kind, state: dict[str, Any], inputs: dict[str, Any], ignored: Any) -> list[Difference]:
    return differences(kind, state, kind.filled(plain(inputs)), tuple(ignored))


def stored_outputs(record: Record, *, read: bool) -> dict[str, Any]:
    """What the provider stores of a resource. Of a cluster without its default pool it reads the pools only later."""
    stored = outputs(record.kind, record.state, record.id, read=read)
    if record.kind.token == CLUSTER:
        pools = record.pools if read or not record.state.get("removeDefaultNodePool") else []
        stored["nodePools"] = [entry(pool) for pool in pools]
        stored["nodeConfig"] = stored["nodePools"][0]["nodeConfig"] if pools else None
    return stored


def _written(kind: Kind, stored: dict[str, Any]) -> Any:
    return wire.write(stored, secrets(kind))


def keep_from_the_state(record: Record, old: dict[str, Any]) -> None:
    """Values that a read keeps from the state: what only the provider knows, an ignored count, the owners of taints."""
    if record.kind.token == CLUSTER:
        record.state.update({name: old[name] for name in OF_CLUSTERS if old.get(name) is not None})
    if record.kind.token != POOL:
        return
    record.state["cluster"] = old["cluster"]
    if old.get("ignoreNodeCountChanges") and "nodeCount" in old:
        record.state["nodeCount"] = old["nodeCount"]
    known = {taint["key"] for taint in old.get("nodeConfig", {}).get("taints", ())}
    config = record.state["nodeConfig"]
    config["taints"] = [taint for taint in config.get("taints", ()) if taint["key"] in known]


def _refused_by_the_provider(kind: Kind, inputs: dict[str, Any], made_up_name: bool) -> str | None:
    """What passes preview and is refused before anything is sent."""
    if kind.token == POOL:
        if "nodeCount" in inputs and "initialNodeCount" in inputs:
            return "Cannot set both initial_node_count and node_count on node pool"
        if "namePrefix" in inputs and not made_up_name:
            return "Cannot specify both name and name_prefix for a node_pool"
    if kind.token == CLUSTER and inputs["location"] in inputs.get("nodeLocations", []):
        return "when using a multi-zonal cluster, additional zones should not contain the original zone"
    return None
