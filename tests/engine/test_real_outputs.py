"""The stand-in stores what the real provider stored for the same inputs, after creation, refresh and update."""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from support.each import each
from support.engine.direct_provider import DirectProvider
from support.gcp_standin.knowledge import CLUSTER, POLICY, POOL
from support.provider_protocol import wire
from support.real_outputs import Leaves, Real, leaves, nested, real_resources, real_types

_INDEX = re.compile(r"\[\d+\]")

OF_THE_API = {
    "gcp:container/cluster:Cluster": {
        "masterVersion": "The emulated API of the recording took the newest patch of the wanted minor version.",
        "nodeVersion": "The same.",
    },
    "gcp:container/nodePool:NodePool": {
        "nodeConfig.bootDisk.diskType": "That API gave other boot disks to tpu7x machines.",
        "nodeConfig.diskType": "The same.",
        "version": "The version of the cluster; not every recorded pool has its cluster in the recording.",
    },
}
"""Paths whose values only an API knows, and may be others here; the types are the same."""

_GKE_REPORTS_IT = "GKE reports it, as the catalog knows; the emulated API of the recording did not."
OTHERWISE = {
    "gcp:compute/routerNat:RouterNat": {
        "autoNetworkTier": "Compute Engine reports it, as the catalog knows; that API did not.",
        "minPortsPerVm": "The same.",
    },
    "gcp:container/cluster:Cluster": {
        "anonymousAuthenticationConfig": _GKE_REPORTS_IT,
        "networkPolicy.provider": _GKE_REPORTS_IT,
        "nodePools[].networkConfig.podCidrOverprovisionConfig": _GKE_REPORTS_IT,
        "rbacBindingConfig": _GKE_REPORTS_IT,
    },
    "gcp:container/nodePool:NodePool": {"networkConfig.podCidrOverprovisionConfig": _GKE_REPORTS_IT},
}
"""Paths that are answered in another form, with everything inside of them."""


@dataclass(frozen=True)
class Mismatch:
    """One path at which the stand-in differs."""

    path: str
    real: Any
    here: Any

    def __str__(self) -> str:
        return f"{self.path}: the provider stores {self.real!r}, the stand-in {self.here!r}"


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


_ABSENT = _Absent()


def mismatches(real: Leaves, here: dict[str, Any]) -> Iterator[Mismatch]:
    stored = dict(leaves(here))
    for path in sorted({*real, *stored}):
        item = Mismatch(path, real.get(path, _ABSENT), stored.get(path, _ABSENT))
        if item.real != item.here or isinstance(item.real, bool) != isinstance(item.here, bool):
            yield item


def unexplained(token: str, found: Iterator[Mismatch]) -> list[str]:
    """The mismatches that the two lists do not explain, one line for each."""
    return [str(item) for item in found if not _reason(token, item)]


def _reason(token: str, item: Mismatch) -> str:
    """The entry of the lists that explains a mismatch; empty where there is none."""
    path = _INDEX.sub("[]", item.path)
    if path in OF_THE_API.get(token, {}) and type(item.real) is type(item.here):
        return path
    return next((entry for entry in OTHERWISE.get(token, {}) if path == entry or path.startswith(f"{entry}.")), "")


@dataclass
class Run:
    """A recorded resource in the stand-in."""

    provider: DirectProvider
    real: Real
    inputs: dict[str, Any]
    id: str
    outputs: dict[str, Any]

    def refresh(self) -> None:
        """What ``pulumi refresh`` does with the state."""
        self.inputs, self.outputs = self.provider.read(
            self.real.type, self.real.name, self.id, self.inputs, self.outputs
        )

    def diff(self, inputs: dict[str, Any]) -> dict[str, str]:
        """The answer of the provider for new inputs."""
        return self.provider.diff(self.real.type, self.real.name, self.id, self.outputs, inputs)

    def update(self, inputs: dict[str, Any]) -> None:
        """What ``pulumi up`` does with the state."""
        self.outputs = self.provider.update(self.real.type, self.real.name, self.id, self.outputs, inputs)
        self.inputs = inputs


def created(real: Real, provider: DirectProvider | None = None) -> Run:
    """A recorded resource, in a provider of its own together with what it refers to."""
    if provider is None:
        provider = DirectProvider()
        if real.type == POOL:
            _make_cluster(provider, real)
    inputs = provider.check(real.type, real.name, written(real))
    resource_id, outputs = provider.create(real.type, real.name, inputs)
    return Run(provider, real, inputs, resource_id, outputs)


def written(real: Real) -> dict[str, Any]:
    """What the program wrote, without what the provider added to it."""
    return {name: value for name, value in real.inputs.items() if name not in real.defaults}


def _make_cluster(provider: DirectProvider, pool: Real) -> None:
    cluster_id, placement = pool.inputs["cluster"], pool.inputs.get("placementPolicy", {})
    project, location, name = cluster_id.split("/")[1::2]
    known = [item.inputs for item in real_resources(CLUSTER) if item.id == cluster_id]
    made = {"name": name, "project": project, "location": location, "initialNodeCount": 1, "deletionProtection": False}
    provider.create(CLUSTER, name, provider.check(CLUSTER, name, known[0] if known else made))
    if "policyName" in placement:
        workload = {"type": "HIGH_THROUGHPUT", "acceleratorTopology": placement["tpuTopology"]}
        policy = {"name": placement["policyName"], "project": project, "region": location, "workloadPolicy": workload}
        provider.create(POLICY, "policy", provider.check(POLICY, "policy", policy))


REAL = each("real", real_resources())
REFRESHED = [item for item in real_resources() if item.refreshed is not None]
UPDATED = [item for item in real_resources() if item.updated is not None]


@REAL
def test_a_new_resource_has_the_real_outputs(real: Real) -> None:
    run = created(real)
    assert unexplained(real.type, mismatches(real.created, run.outputs)) == []
    assert run.id == real.id


def refreshed(real: Real) -> Run:
    """A resource after a refresh; a cluster with the pools that are in the recording."""
    run = created(real)
    for pool in real_resources(POOL):
        if pool.inputs["cluster"] == run.id and real.type == CLUSTER:
            created(pool, run.provider)
    run.refresh()
    return run


@each("real", REFRESHED)
def test_a_resource_that_was_read_has_the_real_outputs(real: Real) -> None:
    assert real.refreshed is not None
    assert unexplained(real.type, mismatches(real.refreshed, refreshed(real).outputs)) == []


def updated(real: Real) -> dict[str, Any]:
    """The outputs after the recorded update, which a preview foretells."""
    run = created(real)
    if real.type == CLUSTER:  # its pools were read by then
        run.refresh()
    run.update(run.provider.check(real.type, real.name, real.new_inputs))
    return run.outputs


@each("real", UPDATED)
def test_an_updated_resource_has_the_real_outputs(real: Real) -> None:
    assert real.updated is not None
    cut = ("nodeConfig", "nodePools") if real.type == CLUSTER else ()
    outputs = {name: value for name, value in updated(real).items() if name not in cut}
    assert unexplained(real.type, mismatches(real.updated, outputs)) == []


def test_every_entry_of_the_lists_explains_something() -> None:
    used = {(real.type, _reason(real.type, item)) for real in real_resources() for item in _all_mismatches(real)}
    entries = {(token, path) for listed in (OF_THE_API, OTHERWISE) for token, paths in listed.items() for path in paths}
    assert entries - used == set()


def _all_mismatches(real: Real) -> Iterator[Mismatch]:
    yield from mismatches(real.created, created(real).outputs)
    if real.refreshed is not None:
        yield from mismatches(real.refreshed, refreshed(real).outputs)


# Inputs


@REAL
def test_check_adds_the_real_defaults_and_no_others(real: Real) -> None:
    provider = DirectProvider()
    found = provider.check(real.type, real.name, written(real))
    marked = {path for path, _ in leaves(found) if path.endswith("__defaults") or "__defaults[" in path}
    assert {path: value for path, value in leaves(found) if path not in marked} == dict(leaves(real.inputs))
    assert found["__defaults"] == list(real.defaults)


def test_check_adds_the_defaults_inside_blocks() -> None:
    (kind,) = (kind for kind in real_types().values() if kind.token == CLUSTER)
    block: dict[str, Any] = {"autoProvisioningDefaults": {"serviceAccount": "a@b"}}
    inputs = {"name": "c", "clusterAutoscaling": block, "enableAutopilot": True}
    found = dict(leaves(DirectProvider().check(CLUSTER, "c", inputs)))
    assert {path: found.get(path) for path in kind.check} == kind.check


REWRITTEN = [
    (kind.token, path, before, after)
    for kind in real_types().values()
    for path, (before, after) in kind.rewritten.items()
    if "machineType" not in path
]


@pytest.mark.parametrize(("token", "path", "before", "after"), REWRITTEN)
def test_a_refresh_rewrites_the_same_inputs(token: str, path: str, before: Any, after: Any) -> None:
    """And a program that did not change shows no difference to them."""
    seen = []
    for real in real_resources(token):
        if dict(leaves(real.inputs)).get(path) != before:
            continue
        run = created(real)
        own = run.inputs
        run.refresh()
        seen.append(dict(leaves(run.inputs))[path])
        assert ignoring_the_default_pool(run.diff(own)) == {}
    assert after in seen


def test_a_refresh_puts_the_first_pool_into_the_inputs_of_its_cluster() -> None:
    """Why the components tell the engine to ignore ``nodeConfig`` of a cluster."""
    (token, pair) = (CLUSTER, real_types()[CLUSTER].rewritten["nodeConfig.machineType"])
    assert pair == ["n2-standard-8", "ct4p-hightpu-4t"]
    run = created(next(item for item in real_resources(token) if item.name == "lab"))
    pool = next(item for item in real_resources(POOL) if item.name == "lab/cube/cube-0")
    created(pool, run.provider)
    run.refresh()
    assert run.inputs["nodeConfig"]["machineType"] == pair[1]


# Differences


def ignoring_the_default_pool(diff: dict[str, str]) -> dict[str, str]:
    """As the components do; without them, the cluster whose first pool was removed would be replaced."""
    return {path: kind for path, kind in diff.items() if not path.startswith("nodeConfig")}


@REAL
def test_equal_inputs_are_not_a_difference(real: Real) -> None:
    run = created(real)
    own = run.inputs
    shown = ignoring_the_default_pool if real.type == CLUSTER else dict
    assert shown(run.diff(own)) == {}
    run.refresh()
    assert (shown(run.diff(own)), shown(run.diff(run.inputs))) == ({}, {})


def labelled(real: Real, *path: str) -> dict[str, Any]:
    """The inputs of a resource with one label more."""
    inputs = nested(dict(leaves(written(real))))
    inner = functools.reduce(lambda block, name: block.setdefault(name, {}), path, inputs)
    inner["first"] = "label"
    return inputs


def test_until_it_was_read_a_pool_also_differs_in_its_tags() -> None:
    run = created(next(item for item in real_resources(POOL) if item.name == "west/ring/ring-0"))
    inputs = run.provider.check(POOL, "p", labelled(run.real, "nodeConfig", "resourceLabels"))
    label = {"nodeConfig.resourceLabels.first": "ADD"}
    also = dict.fromkeys(real_types()[POOL].first_diff_also_adds, "ADD")
    assert run.diff(inputs) == {**label, **also}
    run.refresh()
    assert run.diff(inputs) == label


def test_the_first_label_of_a_cluster_is_another_path_once_it_was_read() -> None:
    run = created(next(item for item in real_resources(CLUSTER) if item.name == "euro"))
    inputs = run.provider.check(CLUSTER, "c", labelled(run.real, "resourceLabels"))
    computed = {"effectiveLabels.first": "ADD", "pulumiLabels.first": "ADD"}
    assert ignoring_the_default_pool(run.diff(inputs)) == {"resourceLabels": "ADD", **computed}
    run.refresh()
    assert ignoring_the_default_pool(run.diff(inputs)) == {"resourceLabels.first": "ADD", **computed}


# Previews


def _parent(path: str) -> str:
    return path.rpartition(".")[0]


def _has_block(inputs: dict[str, Any], path: str) -> bool:
    return any(other == path or other.startswith((f"{path}.", f"{path}[")) for other, _ in leaves(inputs))


@REAL
def test_a_preview_of_the_creation_shows_the_same_unknown_values(real: Real) -> None:
    kind, shown = real_types()[real.type], previewed(real)
    unknown = {_INDEX.sub("[]", path) for path, value in shown.items() if value == wire.UNKNOWN_TEXT}
    assert unknown - {*kind.unknown, *kind.unknown_unless_set, *UNSEEN.get(real.type, ())} == set()
    expected = {
        path
        for path in kind.unknown
        if "[]" not in path
        and not _has_block(real.inputs, path)
        and (not _parent(path) or _has_block(real.inputs, _parent(path)))
    }
    assert expected - unknown == set()


@REAL
def test_a_preview_of_the_creation_shows_the_rest_as_the_real_one(real: Real) -> None:
    kind, inputs = real_types()[real.type], dict(leaves(real.inputs))
    autopilot = real.inputs.get("enableAutopilot") is True
    for path, value in previewed(real).items():
        plain = _INDEX.sub("[]", path)
        if plain in kind.null and not inputs.get(path if "privateClusterConfig" in path or not autopilot else ""):
            assert value is None, path
        elif path in inputs:
            assert value == inputs[path], path
        elif value != wire.UNKNOWN_TEXT and value is not None:
            assert plain in _FOLLOWING.get(real.type, ()) or value == kind.known[plain], path


UNSEEN = {
    POOL: (
        "maintenancePolicies[].exclusionUntilEndOfSupports[].endTime",
        "maintenancePolicies[].exclusionUntilEndOfSupports[].startTime",
        "nodeConfig.workloadMetadataConfig",
    )
}
"""Computed properties that every recorded preview has in its inputs, or none has the block of."""

_FOLLOWING = {
    "gcp:serviceaccount/account:Account": ("email", "member"),
    "gcp:container/cluster:Cluster": (
        *(f"{labels}.{key}" for labels in ("effectiveLabels", "pulumiLabels") for key in ("env", "owner", "stage")),
        *(f"{labels}.{key}" for labels in ("effectiveLabels", "pulumiLabels") for key in ("team", "cost")),
        *(f'{labels}["goog-pulumi-provisioned"]' for labels in ("effectiveLabels", "pulumiLabels")),
    ),
}
"""Outputs that the provider computes from the inputs."""


def previewed(real: Real) -> Leaves:
    provider = DirectProvider()
    return dict(leaves(provider.preview(real.type, real.name, provider.check(real.type, real.name, written(real)))))


# Secrets and failures


@pytest.mark.parametrize("token", real_types())
def test_the_same_outputs_are_secret(token: str) -> None:
    run = created(real_resources(token)[0])
    assert run.provider.secret == set(real_types()[token].secret)


def test_a_failed_pool_has_the_outputs_of_a_good_one() -> None:
    """Then only the error of the creation shows that it failed."""
    assert real_types()[POOL].failed["different_from_a_good_pool"] == {}
    for real in real_resources(POOL):
        provider = DirectProvider()
        _make_cluster(provider, real)
        provider.cloud.knobs.out_of_capacity.add(real.inputs["name"])
        inputs = provider.check(real.type, real.name, written(real))
        failed = provider.create_failing(real.type, real.name, inputs)
        assert unexplained(real.type, mismatches(real.created, failed)) == []
