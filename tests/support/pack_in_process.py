"""The pack in this process: asked by the messages of the engine, through the policy library's own server."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi_policy
from google.protobuf import struct_pb2
from pulumi.runtime.proto import analyzer_pb2
from pulumi_policy.policy import _PolicyAnalyzerServicer

from pulumi_gke_tpu.features.policy_pack.pack import tpu_policies

NODE_POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
RESOURCE_POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""What the engine sends for text that is known later."""
LEVELS = {analyzer_pb2.ADVISORY: "advisory", analyzer_pb2.MANDATORY: "mandatory"}


@dataclass(frozen=True)
class Violation:
    """One line of the engine's report."""

    policy: str
    level: str
    message: str
    urn: str = ""


@dataclass(frozen=True)
class Made:
    """A resource of a program. ``stored`` is what it has become; the same as was asked unless given."""

    type: str
    properties: Mapping[str, Any]
    name: str = "it"
    options: Mapping[str, Any] = field(default_factory=dict)
    stored: Mapping[str, Any] | None = None
    refers_to: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Property -> URNs of the resources that it is made of."""
    full_urn: str = ""

    @property
    def urn(self) -> str:
        return self.full_urn or f"urn:pulumi:dev::test::{self.type}::{self.name}"


class Pack:
    """A pack as the engine has it after starting and configuring it."""

    def __init__(self, config: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.server: Any = _PolicyAnalyzerServicer(
            "gke-tpu", "0.0.1", tpu_policies(), pulumi_policy.EnforcementLevel.ADVISORY
        )
        if config is not None:
            levels = {policy.name: policy.enforcementLevel for policy in self.info().policies}
            request = analyzer_pb2.ConfigureAnalyzerRequest()
            for name, properties in config.items():
                request.policyConfig[name].enforcementLevel = levels[name]
                request.policyConfig[name].properties.update(dict(properties))
            self.server.Configure(request, None)

    def info(self) -> Any:
        return self.server.GetAnalyzerInfo(None, None)

    def resource(self, made: Made) -> list[Violation]:
        request = analyzer_pb2.AnalyzeRequest(
            type=made.type,
            urn=made.urn,
            name=made.name,
            properties=_struct(made.properties),
            options=_options(made.options),
        )
        return _violations(self.server.Analyze(request, None))

    def stack(self, *all_made: Made) -> list[Violation]:
        """The results for the whole stack; as in the engine, every resource is checked separately before."""
        for made in all_made:
            self.resource(made)
        resources = []
        for made in all_made:
            item = analyzer_pb2.AnalyzerResource(
                type=made.type,
                urn=made.urn,
                name=made.name,
                properties=_struct(made.properties if made.stored is None else made.stored),
                options=_options(made.options),
            )
            for name, urns in made.refers_to.items():
                item.propertyDependencies[name].urns.extend(urns)
            resources.append(item)
        return _violations(self.server.AnalyzeStack(analyzer_pb2.AnalyzeStackRequest(resources=resources), None))


def told(violations: Iterable[Violation]) -> set[str]:
    """The names of the policies that speak."""
    return {violation.policy for violation in violations}


def _struct(values: Mapping[str, Any]) -> Any:
    struct = struct_pb2.Struct()
    struct.update(dict(values))
    return struct


def _options(options: Mapping[str, Any]) -> Any:
    return analyzer_pb2.AnalyzerResourceOptions(
        protect=bool(options.get("protect")),
        ignoreChanges=options.get("ignoreChanges", ()),
        deleteBeforeReplace=bool(options.get("deleteBeforeReplace")),
        deleteBeforeReplaceDefined="deleteBeforeReplace" in options,
    )


def _violations(response: Any) -> list[Violation]:
    return [
        Violation(item.policyName, LEVELS[item.enforcementLevel], item.message, item.urn)
        for item in response.diagnostics
    ]
