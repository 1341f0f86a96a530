"""A stand-in for the provider of Kubernetes 4.32: Pulumi's provider protocol over objects as a server stores them.

It keeps to what the code of the real provider does:

- The state is the stored object, and the inputs below ``__inputs``. Inputs of kinds of Kubernetes are normalized.
- A difference is one between the last known object, in the shape of the former inputs, and the new inputs.
- Changes that the program ignores are left out.
- A Helm release has no object of its own: what its chart creates is not simulated.
- With ``pulumi.com/skipAwait``, the deletion of a Deployment, Job, Namespace or Pod is not waited for.
- Objects are deleted in the foreground, unless ``pulumi.com/deletionPropagationPolicy`` says otherwise.

It is simpler: it waits for nothing that it creates, an update does not know the managers of fields, the kubeconfig is
not read, and names are always explicit.
"""

import copy
from typing import Any

from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2
from support.kubernetes_standin.difference import differences, pruned, replaces
from support.kubernetes_standin.server import Object, Objects, RefusedError, id_of, normalize
from support.provider_protocol import wire
from support.provider_protocol.service import ProviderService
from support.provider_protocol.wire import format_path

from pulumi_gke_tpu.core.text.formats.property_path import contains, parse_path

KNOWN = ("v1", "apps/v1", "batch/v1", "scheduling.k8s.io/v1", "storage.k8s.io/v1")
"""The versions whose objects the provider normalizes, because it has their types."""
UNAWAITED = ("Deployment", "Job", "Namespace", "Pod")
"""Kinds whose deletion is not waited for with ``pulumi.com/skipAwait``."""
INPUTS = "__inputs"
SECONDS = 600
"""How long the provider waits for a deletion, if the resource has no timeout of its own."""


class Provider(ProviderService):
    """Answers the engine for any kind of object."""

    def __init__(self, objects: Objects, version: str) -> None:
        super().__init__(version)
        self.objects = objects

    def Check(self, request: Any, context: Any) -> Any:  # noqa: N802 - the names of the gRPC methods
        inputs = wire.read(request.news)
        if inputs.get("apiVersion") in KNOWN and not wire.has_unknown(inputs):
            normalize(inputs)
        return provider_pb2.CheckResponse(inputs=wire.write(inputs))

    def Diff(self, request: Any, context: Any) -> Any:  # noqa: N802
        live, inputs = _read_state(request.olds)
        new = wire.read(request.news)
        answer, kinds = provider_pb2.DiffResponse, provider_pb2.PropertyDiff
        detailed, replacing = {}, []
        ignored = [parse_path(path) for path in request.ignoreChanges]
        for steps, how in differences(pruned(live, inputs), new):
            if any(contains(path, steps) for path in ignored):
                continue
            path, replaced = format_path(steps), replaces(new.get("kind", ""), steps)
            detailed[path] = kinds(kind=getattr(kinds, f"{how.upper()}{'_REPLACE' if replaced else ''}"))
            replacing += [path] if replaced else []
        return answer(
            changes=answer.DIFF_SOME if detailed else answer.DIFF_NONE,
            replaces=replacing,
            deleteBeforeReplace=bool(replacing) and id_of(live) == id_of(new),
            detailedDiff=detailed,
            hasDetailedDiff=True,
        )

    def Create(self, request: Any, context: Any) -> Any:  # noqa: N802
        inputs = wire.read(request.properties)
        if request.preview:
            return provider_pb2.CreateResponse(properties=_state(self.objects.would_store(inputs), inputs))
        try:
            live = self.objects.create(inputs)
        except RefusedError as refused:
            wire.fail(context, str(refused))
        return provider_pb2.CreateResponse(id=id_of(inputs), properties=_state(live, inputs))

    def Read(self, request: Any, context: Any) -> Any:  # noqa: N802
        live = self.objects.stored.get(request.id)
        if live is None:
            return provider_pb2.ReadResponse()
        _, inputs = _read_state(request.properties)
        now = pruned(live, inputs)
        return provider_pb2.ReadResponse(id=request.id, properties=_state(live, now), inputs=wire.write(now))

    def Update(self, request: Any, context: Any) -> Any:  # noqa: N802
        inputs = wire.read(request.news)
        if request.preview:
            return provider_pb2.UpdateResponse(properties=_state(self.objects.would_store(inputs), inputs))
        try:
            live = self.objects.update(request.id, inputs)
        except RefusedError as refused:
            wire.fail(context, str(refused))
        return provider_pb2.UpdateResponse(properties=_state(live, inputs))

    def Delete(self, request: Any, context: Any) -> Any:  # noqa: N802
        live, inputs = _read_state(request.properties)
        annotations = inputs.get("metadata", {}).get("annotations", {})
        skips = annotations.get("pulumi.com/skipAwait") == "true" and live.get("kind") in UNAWAITED
        background = annotations.get("pulumi.com/deletionPropagationPolicy") == "background"
        if not skips and not background and longest_end(live) >= (request.timeout or SECONDS):
            wire.fail(context, f"timed out waiting for the deletion of {request.id}")
        self.objects.delete(request.id, background=background, wait=not skips)
        return empty_pb2.Empty()


def longest_end(value: Any) -> int:
    """The seconds that the Pods of an object have to end; they use all of them."""
    if isinstance(value, list):
        return max(map(longest_end, value), default=0)
    if not isinstance(value, dict):
        return 0
    own = value.get("terminationGracePeriodSeconds", 0)
    return max(own, *map(longest_end, value.values())) if value else 0


def _state(live: Object, inputs: Object) -> Any:
    return wire.write({**copy.deepcopy(live), INPUTS: inputs})


def _read_state(struct: Any) -> tuple[Object, Object]:
    """The last known object, and the inputs that it was created with."""
    state = wire.read(struct)
    inputs = state.pop(INPUTS)
    return state, inputs
