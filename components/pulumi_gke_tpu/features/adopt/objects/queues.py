"""The keys of queues and cohorts of Kueue."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.fleet.workloads import Flavor, flavors_of
from pulumi_gke_tpu.core.kubernetes.kueue import CPU_FLAVOR
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.objects.document import items, known_text, mapping, text
from pulumi_gke_tpu.core.text.findings import quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.features.adopt.objects.given import GivenObjects
from pulumi_gke_tpu.features.adopt.objects.proposals import ItemProposal, NoKeysError, shortest

_WITHIN = {"LowerPriority": "lower_priority", "LowerOrNewerEqualPriority": "lower_or_newer_equal_priority"}
_RECLAIM = {"Never": "never", "LowerPriority": "lower_priority"}


class QueueKeys:
    """Finds the keys of queues and cohorts of one cluster."""

    def __init__(self, cluster: Cluster, catalog: Catalog) -> None:
        self._flavors: Mapping[str, Flavor] = {flavor.name: flavor for flavor in flavors_of(cluster)}
        self._tpu = catalog.kubernetes.pods.resource.name
        kinds = catalog.kubernetes.kinds.objects
        self._queue, self._local, self._cohort = kinds["cluster_queue"], kinds["local_queue"], kinds["cohort"]
        self._group = self._queue.api_version.partition("/")[0]

    def queues(self, given: GivenObjects) -> Iterator[tuple[KubernetesObject, ItemProposal | NoKeysError]]:
        """The keys of each ClusterQueue."""
        locals_of: dict[str, list[str]] = {}
        for item in given.of(self._local.kind, self._group):
            if item.name == text(item.spec.get("clusterQueue")):
                locals_of.setdefault(item.name, []).append(item.namespace)
        for item in given.of(self._queue.kind, self._group):
            try:
                yield (
                    item,
                    ItemProposal("queues", item.name, self._keys_of_queue(item, locals_of.get(item.name, [])), item),
                )
            except NoKeysError as error:
                yield item, error

    def cohorts(self, given: GivenObjects) -> Iterator[tuple[KubernetesObject, ItemProposal | NoKeysError]]:
        """The keys of each Cohort."""
        for item in given.of(self._cohort.kind, self._group):
            try:
                limits = self._limits(item, stated_if_zero=False)
                keys = shortest(parent=known_text(item.spec.get("parentName")), **limits)
                yield item, ItemProposal("cohorts", item.name, {**keys, **_weight(item)}, item)
            except NoKeysError as error:
                yield item, error

    def _keys_of_queue(self, item: KubernetesObject, namespaces: Sequence[str]) -> dict[str, Any]:
        spec = item.spec
        limits = self._limits(item, stated_if_zero=True)
        everything = {flavor.key: flavor.chips for flavor in self._flavors.values()}
        if limits["chips"] == everything:
            del limits["chips"]
        preemption = mapping(spec.get("preemption"))
        return {
            **shortest(
                **limits,
                cohort=known_text(spec.get("cohortName")),
                preemption=_WITHIN.get(text(preemption.get("withinClusterQueue"))),
                reclaim=_RECLAIM.get(text(preemption.get("reclaimWithinCohort"))),
                **_namespaces(spec, namespaces),
            ),
            **_weight(item),
        }

    def _limits(self, item: KubernetesObject, *, stated_if_zero: bool) -> dict[str, dict[str, int]]:
        """Quota, borrowing and lending limit of each flavor."""
        found: dict[str, dict[str, int]] = {"chips": {}, "borrow": {}, "lend": {}}
        for part in map(mapping, items(item.spec.get("resourceGroups"))):
            for flavor in map(mapping, items(part.get("flavors"))):
                name = text(flavor.get("name"))
                if name == CPU_FLAVOR:
                    continue
                known = self._flavors.get(name)
                if known is None:
                    raise NoKeysError(f"no slice group of the plan has its flavor {quoted(name)}")
                key = known.key
                for resource in map(mapping, items(flavor.get("resources"))):
                    if resource.get("name") != self._tpu:
                        continue
                    nominal = _chips(resource.get("nominalQuota"))
                    if nominal or stated_if_zero:
                        found["chips"][key] = nominal
                    for name_of_limit, to in (("borrowingLimit", "borrow"), ("lendingLimit", "lend")):
                        if resource.get(name_of_limit) is not None:
                            found[to][key] = _chips(resource[name_of_limit])
        return found


def _chips(value: object) -> int:
    amount = parse_quantity(value)
    if amount is None or amount.denominator != 1 or amount < 0:
        raise NoKeysError("a quota of chips is not a whole number")
    return int(amount)


def _weight(item: KubernetesObject) -> dict[str, int]:
    value = mapping(item.spec.get("fairSharing")).get("weight")
    return {} if value is None else {"weight": _chips(value)}


def _namespaces(spec: Mapping[str, Any], local: Sequence[str]) -> dict[str, Any]:
    """The namespaces that a queue admits, or else those of its LocalQueues."""
    selector = mapping(spec.get("namespaceSelector"))
    expressions = items(selector.get("matchExpressions"))
    if expressions:
        return {"namespaces": [name for name in items(mapping(expressions[0]).get("values")) if isinstance(name, str)]}
    if len(local) != 1:
        found = "no LocalQueue" if not local else f"LocalQueues in {len(local)} namespaces"
        raise NoKeysError(f"it admits every namespace, and has {found} of its name; a plan has one")
    return {"namespace": local[0]}
