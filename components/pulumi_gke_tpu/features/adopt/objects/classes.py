"""The keys of priority classes and namespaces."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.features.adopt.objects.given import GivenObjects, Relevance
from pulumi_gke_tpu.features.adopt.objects.proposals import ItemProposal, shortest

_NEVER = "Never"
_PREFIXES = {"Group": "group:", "User": "user:"}


def priority_classes(given: GivenObjects, catalog: Catalog, relevance: Relevance) -> Iterator[ItemProposal]:
    """The keys of each PriorityClass that does not belong to Kubernetes or GKE."""
    kind = catalog.kubernetes.kinds.objects["priority_class"]
    for item in given.of(kind.kind, kind.api_version.partition("/")[0]):
        value = item.data.get("value")
        if relevance.concerns(item) and isinstance(value, int) and not isinstance(value, bool):
            more = shortest(
                preemption="never" if item.data.get("preemptionPolicy") == _NEVER else None,
                description=text(item.data.get("description")),
            )
            yield ItemProposal("priority_classes", item.name, {"value": value, **more}, item)


def namespaces(given: GivenObjects, catalog: Catalog, relevance: Relevance) -> Iterator[ItemProposal]:
    """The keys of each namespace, with its quota in chips and its users."""
    kinds, facts = catalog.kubernetes.kinds.objects, catalog.kubernetes.access
    quota = f"{facts.quota_prefix}{catalog.kubernetes.pods.resource.name}"
    for item in given.of(kinds["namespace"].kind):
        if not relevance.concerns(item):
            continue
        own = [one for one in given.by_identity.values() if one.namespace == item.name]
        chips = None
        for one in own:
            if one.is_a(kinds["resource_quota"].kind) and one.name == "chips":
                amount = parse_quantity(mapping(one.spec.get("hard")).get(quota))
                chips = int(amount) if amount is not None and amount.denominator == 1 and amount >= 0 else None
        binding = kinds["role_binding"]
        bindings = {one.name: one for one in own if one.is_a(binding.kind, binding.api_version.partition("/")[0])}
        members = {role: list(_members(bindings[role])) for role in facts.roles if role in bindings}
        yield ItemProposal("namespaces", item.name, {**({} if chips is None else {"chips": chips}), **members}, item)


def _members(binding: KubernetesObject) -> Iterator[str]:
    """The users and groups of a RoleBinding; those of other kinds make the comparison fail."""
    for subject in map(mapping, items(binding.data.get("subjects"))):
        name, prefix = text(subject.get("name")), _PREFIXES.get(text(subject.get("kind")), "")
        if name.endswith(".gserviceaccount.com"):
            prefix = "serviceAccount:"
        if prefix:
            yield f"{prefix}{name}"
