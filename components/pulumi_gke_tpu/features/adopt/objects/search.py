"""Finds the key `kubernetes` of a cluster: what renders objects that exist, equally, and nothing else.

All proposals are tried together first, since objects depend on each other: the flavor of a group on the workloads that
can use it, a queue on its namespace. What does not render equally is left out, until everything does. Then each one
that failed only because of others is tried once more.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds import pod_templates
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.features.adopt.objects.classes import namespaces, priority_classes
from pulumi_gke_tpu.features.adopt.objects.comparison import ObjectDifference, comparison_beside
from pulumi_gke_tpu.features.adopt.objects.given import (
    GivenObjects,
    Identity,
    Relevance,
    identity,
    identity_of,
    title_of,
)
from pulumi_gke_tpu.features.adopt.objects.proposals import ItemProposal, NoKeysError
from pulumi_gke_tpu.features.adopt.objects.queues import QueueKeys
from pulumi_gke_tpu.features.adopt.objects.rendering import Renderer, Rendering
from pulumi_gke_tpu.features.adopt.objects.templates import pod_additions
from pulumi_gke_tpu.features.adopt.objects.workloads import (
    WorkloadObject,
    groups_for,
    keys_of_workload,
    workload_object,
)

_SECTIONS = ("namespaces", "queues", "cohorts", "priority_classes", "service_accounts", "workloads")
_DEFAULT = "default"
_MOST_SECOND_TRIALS = 100
_LONGEST = 300
_ROUNDS = 3


@frozen(eq=False)
class AdoptedObject:
    """An object that the plan renders as it is."""

    object: KubernetesObject
    item: str
    """The item of the plan that it follows from, such as `queues.team`."""


@frozen(eq=False)
class ObjectLeftAlone:
    """An object that stays outside of the plan, and why."""

    object: KubernetesObject
    reason: str


@frozen(eq=False)
class ClusterObjectsFound:
    """What was found for one cluster."""

    keys: dict[str, Any]
    """The key `kubernetes`; empty if nothing was adopted."""
    adopted: tuple[AdoptedObject, ...]
    alone: tuple[ObjectLeftAlone, ...]
    others: Counter[str]
    """The number of objects that no plan can be about, by kind: those of controllers, of the system, without TPUs."""


@frozen(eq=False)
class _Trial:
    """The keys of a workload on a slice group, or why they do not render it."""

    keys: dict[str, Any] | None = None
    differences: tuple[ObjectDifference, ...] = ()
    reason: str = ""


class ObjectSearch:
    """The search for one cluster of a plan."""

    def __init__(self, plan: Mapping[str, Any], key: str, catalog: Catalog, *, commands: bool = False) -> None:
        self._catalog, self._commands = catalog, commands
        self._renderer = Renderer(plan, key, catalog)
        self._comparison = comparison_beside((), catalog)
        self._relevance = Relevance(catalog)
        self._reasons: dict[Identity, str] = {}

    def find(self, given: GivenObjects) -> ClusterObjectsFound:
        """The key, and what became of each object."""
        self._reasons = {}
        self._comparison = comparison_beside(given.by_identity.values(), self._catalog)
        proposals = list(self._proposals(given)) if self._renderer.cluster is not None else []
        kept = self._kept(proposals, given)
        keys, rendering = self._shortened(kept)
        adopted = [
            AdoptedObject(given.by_identity[found], _item(item))
            for item in (*self._of_slices(given), *rendering.manifests)
            if (found := identity_of(item)) in given.by_identity
        ]
        taken = {identity(item.object) for item in adopted}
        rest = [item for found, item in given.by_identity.items() if found not in taken]
        alone = [ObjectLeftAlone(item, self._reason(item)) for item in rest if self._relevance.concerns(item)]
        alone += [ObjectLeftAlone(item, "another object has its kind and name") for item in given.twice]
        others = Counter(item.kind for item in rest if not self._relevance.concerns(item))
        return ClusterObjectsFound(keys, tuple(adopted), tuple(alone), others)

    def _of_slices(self, given: GivenObjects) -> Iterator[Manifest]:
        """The objects that follow from slice groups alone, such as a ComputeClass, and are as the plan has them."""
        for item in self._renderer.of_slices:
            found = given.by_identity.get(identity_of(item))
            reason = self._difference(item, given) if found is not None else ""
            if found is not None and reason:
                self._reasons[identity(found)] = reason
            elif found is not None:
                yield item

    # Proposals

    def _proposals(self, given: GivenObjects) -> Iterator[ItemProposal]:
        cluster = self._renderer.cluster
        assert cluster is not None
        queues = QueueKeys(cluster, self._catalog)
        for item, found in (*queues.queues(given), *queues.cohorts(given)):
            if isinstance(found, ItemProposal):
                yield found
            else:
                self._reasons[identity(item)] = str(found)
        yield from priority_classes(given, self._catalog, self._relevance)
        yield from namespaces(given, self._catalog, self._relevance)
        for item in given.by_identity.values():
            if self._relevance.concerns(item):
                yield from self._workload(item, given)

    def _workload(self, item: KubernetesObject, given: GivenObjects) -> Iterator[ItemProposal]:
        """The keys of a workload, on the first slice group that renders it equally."""
        if not any(map(self._relevance.uses_tpus, pod_templates(item))):
            return
        cluster = self._renderer.cluster
        assert cluster is not None
        differences: list[ObjectDifference] = []
        reason = "no slice group of the plan has its nodes"
        try:
            workload = workload_object(item, given, self._relevance)
            for groups in groups_for(workload, cluster.groups, self._catalog):
                keys = keys_of_workload(workload, groups, self._catalog, commands=self._commands)
                trial = self._repaired(workload, keys)
                if trial.keys is not None:
                    yield ItemProposal("workloads", item.name, trial.keys, item, self._account(trial.keys, item, given))
                    return
                reason = trial.reason or reason
                differences += trial.differences
        except NoKeysError as error:
            reason, differences = str(error), []
        closest = max(differences, key=lambda one: len(one.path), default=None)
        self._reasons[identity(item)] = closest.text if closest is not None else reason

    def _repaired(self, workload: WorkloadObject, keys: dict[str, Any]) -> "_Trial":
        """The keys with the fields of its Pods that have no key, or what still differs."""
        item = workload.object
        for _ in range(_ROUNDS):
            rendering = self._renderer.render({"workloads": {item.name: keys}}, rules=False)
            own = next((one for one in rendering.manifests if identity_of(one) == identity(item)), None)
            if own is None:
                finding = next(iter(rendering.errors), None)
                return _Trial(reason=f"{finding.rule}: {finding.message}" if finding else "no slice group renders it")
            differences = tuple(self._comparison.differences(item.data, own.object))
            if not differences:
                return _Trial(keys)
            added = pod_additions(item, workload.pods.path, differences)
            if not added:
                break
            extra = mapping(mapping(keys.get("pod_template")).get("spec"))
            keys = {**keys, "pod_template": {"spec": {**extra, **added}}}
        return _Trial(differences=differences[:1])

    def _account(
        self, keys: Mapping[str, Any], item: KubernetesObject, given: GivenObjects
    ) -> tuple[str, dict[str, Any]] | None:
        """The service account of a workload, if it is among the objects."""
        name = keys.get("service_account")
        account = given.by_identity.get(("", "ServiceAccount", item.namespace, str(name)))
        if account is None or name == _DEFAULT:
            return None
        email = account.annotations.get(self._catalog.kubernetes.storage.identity.annotation)
        return str(name), {"google": email} if isinstance(email, str) else {}

    # Trials

    def _kept(self, proposals: Sequence[ItemProposal], given: GivenObjects) -> list[ItemProposal]:
        """The proposals that together render only objects that exist, equally."""
        kept = list(proposals)
        because_of_others: list[ItemProposal] = []
        while kept:
            failed, shared = self._failures(kept, self._renderer.render(_built(kept)), given)
            if not failed:
                break
            kept = [item for item in kept if item.key not in failed]
            for item in proposals:
                if item.key in failed:
                    self._reasons[identity(item.target)] = failed[item.key]
            because_of_others += [item for item in proposals if item.key in shared and item.key in failed]
        for item in because_of_others[:_MOST_SECOND_TRIALS]:
            trial = [one for one in proposals if one in kept or one is item]
            failed, _ = self._failures(trial, self._renderer.render(_built(trial)), given)
            if not failed:
                kept = trial
            elif item.key in failed:
                self._reasons[identity(item.target)] = failed[item.key]
        return kept

    def _failures(
        self, kept: Sequence[ItemProposal], rendering: Rendering, given: GivenObjects
    ) -> tuple[dict[tuple[str, str], str], set[tuple[str, str]]]:
        """The proposals that fail, with the reasons, and those among them that others could be the cause of."""
        failed: dict[tuple[str, str], str] = {}
        shared: set[tuple[str, str]] = set()
        keys = {item.key for item in kept}
        targets = {identity(item.target) for item in kept}

        def fail(path: Sequence[str | int], reason: str, section: str = "") -> None:
            own = _key_of(path)
            if own in keys:
                failed.setdefault(own, reason)
                return
            others = {key for key in keys if not section or key[0] in section.split("|")} or keys
            for key in others:
                failed.setdefault(key, reason)
            shared.update(others)

        for error in rendering.errors:
            fail(error.path, f"{error.rule}: {error.message}")
        if rendering.changes_resources:
            fail((), "it would change resources in Google Cloud")
        for item in rendering.manifests:
            reason = self._difference(item, given)
            if reason:
                found = identity_of(item)
                self._reasons[found] = reason
                shown = reason if found in targets else f"{title_of(item)}: {reason}"
                fail(item.path, shown, "queues|cohorts" if item.concern == "queues" else "")
                shared.update({key for key in failed if key[0] != "workloads"})
        rendered = {identity_of(item) for item in rendering.manifests}
        for proposal in kept:
            if identity(proposal.target) not in rendered:
                failed.setdefault(proposal.key, "no item of the plan renders it alone")
                shared.add(proposal.key)
        return failed, shared

    def _difference(self, item: Manifest, given: GivenObjects) -> str:
        """Why a rendered object is not one that exists; empty if it is."""
        found = given.by_identity.get(identity_of(item))
        if found is None:
            # Objects are in it, so that it exists.
            return "" if item.concern == "namespaces" else "the plan would create it, and it is not among the objects"
        difference = next(iter(self._comparison.differences(found.data, item.object)), None)
        return "" if difference is None else difference.text

    # The shortest form

    def _shortened(self, kept: Sequence[ItemProposal]) -> tuple[dict[str, Any], Rendering]:
        """The keys with the most frequent namespace as that of all objects, if they render the same."""
        keys = _built(kept)
        rendering = self._renderer.render(keys)
        if not keys:
            return {}, rendering
        short = _with_namespace(keys)
        if short is not None:
            trial = self._renderer.render(short)
            if not trial.errors and _contents(trial) == _contents(rendering):
                return short, trial
        return keys, rendering

    def _reason(self, item: KubernetesObject) -> str:
        reason = self._reasons.get(identity(item), "")
        return printable(reason or "no adopted item of the plan renders it", _LONGEST)


def _built(kept: Iterable[ItemProposal]) -> dict[str, Any]:
    keys: dict[str, dict[str, Any]] = {}
    for item in kept:
        keys.setdefault(item.section, {})[item.name] = item.value
        if item.service_account is not None:
            name, account = item.service_account
            keys.setdefault("service_accounts", {})[name] = account
    return {section: keys[section] for section in _SECTIONS if section in keys}


def _with_namespace(keys: Mapping[str, Any]) -> dict[str, Any] | None:
    """The keys with a namespace for all objects; None if most of them state none."""
    stated = Counter(
        str(item["namespace"])
        for section in ("queues", "workloads")
        for item in keys.get(section, {}).values()
        if item.get("namespace")
    )
    if not stated:
        return None
    ((most, _),) = stated.most_common(1)
    short: dict[str, Any] = {} if most == _DEFAULT else {"namespace": most}
    for section, entries in keys.items():
        short[section] = entries
        if section in ("queues", "workloads"):
            short[section] = {
                name: {key: value for key, value in item.items() if (key, value) != ("namespace", most)}
                for name, item in entries.items()
            }
        if section == "namespaces":
            short[section] = {name: item for name, item in entries.items() if item or name != most}
    return {section: value for section, value in short.items() if value}


def _contents(rendering: Rendering) -> Mapping[Identity, Any]:
    return {identity_of(item): item.object for item in rendering.manifests}


def _key_of(path: Sequence[str | int]) -> tuple[str, str] | None:
    """The section and the name of an item at a path of the plan."""
    match tuple(path):
        case ("clusters", _, "kubernetes", str(section), name, *_) if section in _SECTIONS:
            return section, str(name)
    return None


def _item(item: Manifest) -> str:
    own = _key_of(item.path)
    return ".".join(own) if own else ".".join(str(step) for step in item.path[2:])
