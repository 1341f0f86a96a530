"""What an action of Terraform means for a node pool or a cluster, beyond what a change of a plan can mean."""

from collections.abc import Iterator, Mapping, Sequence

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.gke_adds import GkeAddition
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.graph.differences import says_something
from pulumi_gke_tpu.core.graph.phrases import amount
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.rules.engine.rule import source_titles
from pulumi_gke_tpu.core.text.findings import listed, quoted
from pulumi_gke_tpu.core.text.formats.property_path import parse_path, value_at
from pulumi_gke_tpu.features.diff.consent import ClusterChange, GroupChange
from pulumi_gke_tpu.features.diff.model import ChangeClass, ResourceChange, Sentences, SourcedReason
from pulumi_gke_tpu.features.diff.narrative.consequence import describe_follows, describe_metadata, describe_pools
from pulumi_gke_tpu.features.diff.narrative.consequence_cluster import (
    describe_access,
    describe_cpu_pools,
    describe_update,
    describe_whole,
)
from pulumi_gke_tpu.features.diff.terraform.actions import PlannedResource

_NODE_POOL_IN_TERRAFORM = "google_container_node_pool"
_INLINE = "node_pool"
"""The block of a cluster with its node pools."""
_MOST_KEYS = 2
_REASONS: Mapping[str, str] = {
    "replace_because_tainted": "Terraform replaces it because it is tainted: its creation failed, or someone marked it",
    "replace_by_request": "the plan was made with `-replace` for it",
    "replace_by_triggers": "`replace_triggered_by` in its configuration causes the replacement",
    "delete_because_no_resource_config": "the configuration no longer contains it",
    "delete_because_no_module": "the configuration no longer contains its module",
    "delete_because_wrong_repetition": "the configuration uses `count` or `for_each` in another way",
    "delete_because_count_index": "`count` is now too small for it",
    "delete_because_each_key": "`for_each` no longer contains its key",
    "delete_because_no_move_target": "the target of its `moved` block does not exist",
}
_TRIGGERED = "replace_by_triggers"
_TRIGGER_CREATED, _NO_ORDER = "terraform-trigger-created", "terraform-no-order"
_DEFAULT_POOL_REMOVED = "terraform-default-pool-removed"
"""Notes of the catalog."""
_NOT_PLANNED = "Terraform does not plan this: GKE deletes the node pools of a cluster with it"


def describe_state(planned: PlannedResource, group: SliceGroup | None, sentences: Sentences) -> None:
    """What happens in the state alone."""
    what, size = _noun(planned), ""
    if group is not None and group.hosts.maximum:
        size = f" with {amount(group.hosts, 'host')} ({amount(group.chips, 'chip')})"
    if planned.fate == "import":
        sentences.add(f"Terraform imports the existing {what}{size} into its state; nothing changes in the cloud")
    elif planned.fate == "forget":
        sentences.add(
            f"Terraform removes the {what} from its state and does not delete it: it stays in the cloud{size}, and "
            "this configuration no longer manages it",
            planned.note,
            sentences.catalog.platform.notes,
        )
    elif planned.moved:
        sentences.add("only its address in Terraform changes; nothing changes in the cloud")


def describe_unsized(
    effect: ChangeClass, planned: PlannedResource, changes: Sequence[ResourceChange], sentences: Sentences
) -> None:
    """Everything that the plan does to a TPU node pool of which no size is known."""
    _describe_start(planned, sentences)
    done = {"create": "created", "delete": "deleted", "replace": "deleted, then created"}.get(effect, "updated")
    sentences.add(f"the node pool is {done}; the number of its hosts is not known")
    _describe_end(effect, planned, changes, sentences, has_tpus=True)


def describe_other_pool(item: ClusterChange, planned: PlannedResource, sentences: Sentences, *, follows: bool) -> None:
    """Everything that the plan does to a node pool without TPUs."""
    _describe_start(planned, sentences)
    if follows:
        sentences.add(f"node pool {quoted(planned.raw.name)} is deleted with its cluster; workloads on it stop")
        sentences.add(_NOT_PLANNED)
    describe_cpu_pools(item, item.changes, sentences, "node pool")
    _describe_end(item.effect, planned, item.changes, sentences, has_tpus=False)


def describe_planned_group(item: GroupChange, planned: PlannedResource, sentences: Sentences) -> None:
    """Everything that the plan does to a TPU node pool."""
    _describe_start(planned, sentences)
    if item.follows:
        describe_follows(item, sentences)
        sentences.add(_NOT_PLANNED)
        if item.follows == "replace":
            sentences.add("only a later plan creates the node pool again")
    else:
        describe_pools(item, sentences)
    resized = bool(item.pool_changes.resized)
    _describe_end(item.effect, planned, item.changes, sentences, has_tpus=True, resized=resized)


def describe_planned_cluster(item: ClusterChange, planned: PlannedResource, sentences: Sentences) -> None:
    """Everything that the plan does to a cluster."""
    _describe_start(planned, sentences)
    cluster = next(change for change in item.changes if change.type == CLUSTER)
    if cluster.operation in ("create", "delete", "replace"):
        describe_whole(item, item.changes, sentences)
        _describe_reason(planned, sentences)
        return
    for change in item.changes:
        if change.type != CLUSTER:
            sentences.add(
                f"the apply deletes node pool {quoted(change.name)}, because remove_default_node_pool is set; "
                "workloads on it stop",
                _DEFAULT_POOL_REMOVED,
                sentences.catalog.platform.notes,
            )
    describe_update(cluster, sentences)
    describe_access(item, cluster, sentences)
    _describe_end(item.effect, planned, item.changes, sentences, has_tpus=False)


def _noun(planned: PlannedResource) -> str:
    return "node pool" if planned.raw.type == NODE_POOL else "cluster"


def _describe_start(planned: PlannedResource, sentences: Sentences) -> None:
    if planned.fate == "import":
        sentences.add(f"Terraform imports the existing {_noun(planned)} into its state")
    elif planned.fate == "forget":
        sentences.add(f"Terraform removes the former {_noun(planned)} from its state and leaves it in the cloud")


def _describe_end(
    effect: ChangeClass,
    planned: PlannedResource,
    changes: Sequence[ResourceChange],
    sentences: Sentences,
    *,
    has_tpus: bool,
    resized: bool = False,
) -> None:
    """What the class of the change means, and its causes."""
    own = [found for change in changes for found in change.differences] if effect == "replace" else []
    causes = [quoted(planned.raw.spelling.written(found.path)) for found in own if found.effect == "replace"]
    if causes and len(causes) < len(own):
        sentences.add(f"{listed(causes, most=_MOST_KEYS)} {'forces' if len(causes) == 1 else 'force'} the replacement")
    without = [found.path for change in changes for found in change.differences if found.effect == "no-op"]
    if effect == "no-op":
        _describe_nothing(planned, without, changes, sentences)
    elif effect == "refused":
        sentences.add("the provider or GKE rejects the update, and every later plan contains it again")
        if without:
            names = listed([quoted(planned.raw.spelling.written(path)) for path in without], most=_MOST_KEYS)
            sentences.add(f"{names} can only change in a new {_noun(planned)}: {_replacing(planned)}")
    elif effect == "in-place" and not resized:
        sentences.add("no source in the catalog mentions a node restart")
    elif effect == "metadata":
        describe_metadata(changes, sentences)
    sentences.add_later_effects(changes)
    if planned.raw.type == NODE_POOL:
        _describe_added(planned, sentences, has_tpus=has_tpus)
    _describe_reason(planned, sentences)


def _describe_nothing(
    planned: PlannedResource, without: Sequence[str], changes: Sequence[ResourceChange], sentences: Sentences
) -> None:
    """An update that has no effect, which Terraform plans forever, and the way to the probable intention."""
    what = _noun(planned)
    spelled = [quoted(planned.raw.spelling.written(path)) for path in without]
    if len(without) < sum(len(change.differences) for change in changes):
        verb = "does" if len(spelled) == 1 else "do"
        sentences.add(f"{listed(spelled, most=_MOST_KEYS)} {verb} not change: the provider sends no request for it")
    else:
        sentences.add(f"the change has no effect: the existing {what} stays as it is")
    sentences.add("every later plan contains this update again")
    if planned.inside:
        sentences.add(
            "only a new node pool can have the new value, and a new node pool in the configuration of a cluster "
            f"replaces the cluster: add a `{_NODE_POOL_IN_TERRAFORM}` instead"
        )
    else:
        sentences.add(f"only a new {what} can have the new value: {_replacing(planned)}")


def _replacing(planned: PlannedResource) -> str:
    """How to make Terraform replace a resource whose update does nothing."""
    address = quoted(planned.address)
    return f"`terraform plan -replace` with {address}, or `replace_triggered_by` in its configuration, replaces it"


def _describe_reason(planned: PlannedResource, sentences: Sentences) -> None:
    """Why Terraform deletes or replaces something, if no property tells it."""
    reason, notes = planned.action.reason, sentences.catalog.platform.notes
    sentences.add("", planned.note, notes)
    sentences.add(_REASONS.get(reason, ""))
    if planned.same_as:
        sentences.add(
            f"this looks like a new address of {quoted(planned.same_as)}: a `moved` block keeps the node pool",
            _NO_ORDER,
            notes,
        )
    if reason == _TRIGGERED and planned.change is not None and not planned.change.differences:
        sentences.add(
            "none of its own properties changes: OpenTofu also replaces it if the trigger itself is only created; "
            "then first apply the trigger alone with `-target`",
            _TRIGGER_CREATED,
            notes,
        )


def _describe_added(planned: PlannedResource, sentences: Sentences, *, has_tpus: bool) -> None:
    """That a change comes from what GKE reports, and how to end it."""
    found = list(_added(planned, sentences.catalog, has_tpus=has_tpus))
    if not found:
        return
    spelling = planned.raw.spelling
    names = [spelling.written(item.path) for item in found]
    repeated = (
        "replaces the node pool again"
        if planned.change is not None and planned.change.operation == "replace"
        else "contains this update again"
    )
    sentences.add(
        f"GKE itself sets {listed([quoted(name) for name in names])}, and the configuration does not: every plan "
        f"{repeated}"
    )
    paths = [_INLINE] if planned.inside else [name.replace(".", "[0].") for name in names]
    ignored = quoted(f"lifecycle {{ ignore_changes = [{', '.join(paths)}] }}")
    values = [
        quoted(f"{spelling.written(item.path)}.{spelling.entry(name, value)}")
        for item in found
        for name, value in (item.stored.items() if isinstance(item.stored, Mapping) else ())
    ]
    stated = f", or set {listed(values)}" if values else ""
    sentences.add(f"to keep it, add {ignored} to {quoted(planned.inside or planned.address)}{stated}")
    sentences.facts += [_reason(item, planned, sentences.catalog) for item in found]


def _added(planned: PlannedResource, catalog: Catalog, *, has_tpus: bool) -> Iterator[GkeAddition]:
    """The additions of GKE that the plan takes away."""
    raw, change = planned.raw, planned.change
    if raw.before is None or change is None or change.operation not in ("replace", "update"):
        return
    for item in catalog.gke_adds.get(raw.type, ()):
        if item.effect == "none" or (item.added_to == "tpu" and not has_tpus):
            continue
        was, will = (value_at(values.data, parse_path(item.path)) for values in (raw.before, raw.values))
        if was is not None and not says_something(will) and _without_empty(was) == item.stored:
            yield item


def _without_empty(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _without_empty(inner) for name, inner in value.items() if says_something(inner)}
    return value


def _reason(item: GkeAddition, planned: PlannedResource, catalog: Catalog) -> SourcedReason:
    """The fact, less certain for a machine family for which no source has it."""
    machine = value_at(planned.raw.values.data, ("nodeConfig", "machineType"))
    family = str(machine).partition("-")[0]
    confidence = "low" if item.families and family not in item.families else item.confidence_in(family)
    text = item.note or f"GKE adds {item.path} to its answers."
    return SourcedReason(planned.raw.spelling.words(text), source_titles(item, catalog), confidence)
