"""TPU91x: renames that keep what exists."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.fleet.derive import MOST_RENAMES
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.rules.entries.acceptances import MisspelledItems, items_of
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, Severity, printable, quoted
from pulumi_gke_tpu.core.text.findings.suggestions import Suggestions

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.entries import Move

_LOGIC = "gke-tpu: documentation of `moved`"
_RENAMED = """
version: 1
project: acme-ml
clusters:
  train: {mode: standard, location: us-east5, slices: {main: {tpu: v6e, topology: 2x2, zone: us-east5-b}}}
"""


class _Moves:
    """The renames of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.items = items_of(plan)
        self.moves = plan.moved
        self.sources = {move.source for move in plan.moved}
        self._origins = {move.to: move.source for move in plan.moved}
        self.renames = self._renames()
        self._targets = {move.source: move.to for move in plan.moved}

    def _renames(self) -> dict[str, int]:
        """How many former names each item has, at most one more than the limit; cycles end as well."""
        found: dict[str, int] = {}
        for target in self._origins:
            item = target
            trail: list[str] = []
            while item in self._origins and item not in found and len(trail) <= MOST_RENAMES:
                trail.append(item)
                item = self._origins[item]
            count = found.get(item, 0)
            for step in reversed(trail):
                count = min(count + 1, MOST_RENAMES + 1)
                found[step] = count
        return found

    def __iter__(self) -> "Iterator[tuple[Path, Move]]":
        for index, move in enumerate(self.moves):
            yield ("moved", index), move

    def fits(self, move: "Move") -> bool:
        """Whether both ends are of one kind, and in one cluster after the renames of clusters."""
        if not (_is_item(move.source) and _is_item(move.to)) or ("/" in move.source) != ("/" in move.to):
            return False
        return "/" not in move.to or self._is_same_cluster(move.source.split("/")[0], move.to.split("/")[0])

    def _is_same_cluster(self, before: str, after: str) -> bool:
        """Whether a cluster is another one under a former name."""
        seen = {after}
        while after != before and self._origins.get(after, after) not in seen and len(seen) <= MOST_RENAMES:
            after = self._origins[after]
            seen.add(after)
        return after == before

    def arrives(self, item: str) -> bool:
        """Whether a name leads to an item of the plan: directly, by a later rename, or by a rename of its cluster."""
        seen: set[str] = set()
        while item not in seen and len(seen) <= MOST_RENAMES:
            if item in self.items or item in self.sources:
                return True
            seen.add(item)
            cluster, slash, group = item.partition("/")
            item = f"{self._targets.get(cluster, cluster)}/{group}" if slash else item
        return False

    def circles(self) -> dict[int, int]:
        """The moves that form a cycle, each with the last move of its cycle."""
        next_of = {move.source: index for index, move in reversed(list(enumerate(self.moves)))}
        visited: set[int] = set()
        found: dict[int, int] = {}
        for start in range(len(self.moves)):
            trail: dict[int, int] = {}
            at: int | None = start
            while at is not None and at not in visited:
                visited.add(at)
                trail[at] = len(trail)
                at = next_of.get(self.moves[at].to)
            if at is not None and at in trail:
                circle = [index for index, place in trail.items() if place >= trail[at]]
                if len(circle) > 1:
                    found.update(dict.fromkeys(circle, max(circle)))
        return found


def _is_item(text: str) -> bool:
    """Whether a text has the form CLUSTER or CLUSTER/GROUP."""
    cluster, slash, group = text.partition("/")
    return bool(cluster) and bool(group) == bool(slash) and "/" not in group


@rule(
    "TPU911",
    plans_only="it is about entries that only a plan has",
    about=("moved[].to",),
    title="`moved` refers to an unknown item",
    why="the plan has no item with the new name, so the old item has no successor. Pulumi then deletes the old item "
    "and creates the renamed item from scratch",
    fix="Set `to` to the current name of the item: CLUSTER or CLUSTER/GROUP. If you removed the item permanently, "
    "remove the entry.",
    source=_LOGIC,
    failing=f"{_RENAMED}moved: [{{from: train/pretrain, to: train/mian}}]",
    passing=f"{_RENAMED}moved: [{{from: train/pretrain, to: train/main}}]",
)
def move_to_unknown_item(context: PlanContext) -> Iterable[Hit]:
    """One of several renames may lead to a name that a later one renames."""
    moves = _Moves(context.plan)
    choices = {kind: Suggestions(item for item in moves.items if ("/" in item) == kind) for kind in (True, False)}
    misspelled = MisspelledItems(moves.items)
    successors = {move.to for _, move in moves}
    for path, move in moves:
        if moves.arrives(move.to) or not moves.fits(move):
            continue
        near = misspelled.meant(move.to)
        yield Hit.unknown(
            (*path, "to"),
            "item",
            move.to,
            "the plan does not contain this item",
            allowed=choices["/" in move.to].shown,
            fix=SetKeys.of(to=near) if near and near != move.source and near not in successors else None,
        )


@rule(
    "TPU912",
    plans_only="it is about entries that only a plan has",
    about=("moved[].from",),
    title="Moved item still exists in the plan",
    why="both items would refer to the same cloud resource, so Pulumi cannot keep it for both",
    fix="Remove the item that has the old name, or remove the `moved` entry.",
    source=_LOGIC,
    failing="""
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      pretrain: {tpu: v6e, topology: 2x2, zone: us-east5-b}
      main: {tpu: v6e, topology: 2x2, zone: us-east5-b}
moved: [{from: train/pretrain, to: train/main}]
""",
    passing=f"{_RENAMED}moved: [{{from: train/pretrain, to: train/main}}]",
)
def moved_item_exists(context: PlanContext) -> Iterable[Hit]:
    moves = _Moves(context.plan)
    circles = moves.circles()
    for index, (path, move) in enumerate(moves):
        if move.source in moves.items and move.source != move.to and index not in circles and moves.fits(move):
            yield Hit(
                (*path, "from"), f"{quoted(move.source)} is renamed by this entry, but the plan still contains it"
            )


@rule(
    "TPU913",
    plans_only="it is about entries that only a plan has",
    about=("moved[].to",),
    title="Impossible move",
    why="GKE cannot move a node pool to another cluster, and a cluster cannot become a slice group",
    fix="Use `moved` only for a new name in the same cluster. To move a group to another cluster, add it there and "
    "remove it here.",
    source=_LOGIC,
    failing="""
version: 1
project: acme-ml
clusters:
  train: {mode: standard, location: us-east5}
  serve: {mode: standard, location: us-east5, slices: {main: {tpu: v6e, topology: 2x2, zone: us-east5-b}}}
moved: [{from: train/main, to: serve/main}]
""",
    passing="""
version: 1
project: acme-ml
clusters:
  serve: {mode: standard, location: us-east5, slices: {main: {tpu: v6e, topology: 2x2, zone: us-east5-b}}}
moved: [{from: train, to: serve}, {from: train/pretrain, to: serve/main}]
""",
)
def impossible_move(context: PlanContext) -> Iterable[Hit]:
    """A group may come from another cluster only if that is a former name of its cluster."""
    moves = _Moves(context.plan)
    for path, move in moves:
        wrong = next((key for key, text in (("from", move.source), ("to", move.to)) if not _is_item(text)), None)
        if wrong is not None:
            message = "invalid item: use CLUSTER or CLUSTER/GROUP"
            yield Hit((*path, wrong), message, allowed=Suggestions(moves.items).shown)
        elif ("/" in move.source) != ("/" in move.to):
            ends = [f"{quoted(end)} is a {'slice group' if '/' in end else 'cluster'}" for end in _ends(move)]
            yield Hit((*path, "to"), " and ".join(ends))
        elif not moves.fits(move):
            clusters = [printable(end.split("/")[0]) for end in _ends(move)]
            yield Hit((*path, "to"), f"`{clusters[0]}` and `{clusters[1]}` are different clusters")


def _ends(move: "Move") -> tuple[str, str]:
    return move.source, move.to


@rule(
    "TPU914",
    plans_only="it is about entries that only a plan has",
    about=("moved[].to",),
    otherwise={Severity.WARNING: "if an entry moves an item to its own name"},
    title="Conflicting moves",
    why="a `moved` entry connects one old item with one new item. Two entries cannot have the same old name or the "
    "same new name, and no entry can lead back to its old name",
    fix="Keep one entry for each renamed item. If an item was renamed several times, list the renames in order.",
    source=_LOGIC,
    failing=f"{_RENAMED}moved: [{{from: train/a, to: train/main}}, {{from: train/b, to: train/main}}]",
    passing=f"{_RENAMED}moved: [{{from: train/a, to: train/b}}, {{from: train/b, to: train/main}}]",
)
def conflicting_moves(context: PlanContext) -> Iterable[Hit]:
    first_from: dict[str, int] = {}
    first_to: dict[str, int] = {}
    moves = _Moves(context.plan)
    circles = moves.circles()
    for index, (path, move) in enumerate(moves):
        if move.source == move.to:
            yield Hit(path, f"unused `moved` entry: {quoted(move.to)} keeps its name", severity=Severity.WARNING)
            continue
        before_from = first_from.setdefault(move.source, index)
        before_to = first_to.setdefault(move.to, index)
        if before_from != index:
            yield Hit(
                (*path, "from"),
                f"duplicate move: entry {before_from + 1} of `moved` already renames {quoted(move.source)}",
            )
        elif before_to != index:
            yield Hit(
                (*path, "to"),
                f"duplicate move: entry {before_to + 1} of `moved` already renames an item to {quoted(move.to)}",
            )
        elif circles.get(index) == index:
            yield Hit(path, f"this entry and others move {quoted(move.source)} back to itself")
        elif index not in circles and moves.renames[move.to] > MOST_RENAMES >= moves.renames.get(move.source, 0):
            message = f"{quoted(move.to)} exceeds the limit of {MOST_RENAMES} former names"
            yield Hit(
                path,
                message,
                why="each former name is an alias of every resource, and applied entries are no longer needed",
            )
