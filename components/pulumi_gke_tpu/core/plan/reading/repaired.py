"""Keeps the valid part of a document with errors, so that rules can check it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import ValidationError

from pulumi_gke_tpu.core.plan.base import EVERY_BUDGET, PlanModel
from pulumi_gke_tpu.core.plan.keys import as_written, field_of, is_plan_model, key_names, steps_of, type_at
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.property_path import value_at

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.reading.corrections import Correction

T = TypeVar("T", bound=PlanModel)

_REQUIRED = {("version",): 1, ("project",): "unknown-project"}
"""Values for required keys, so that rules can still check the clusters."""


class RepairedDocument(Generic[T]):
    """A document in which wrong entries are replaced by the intended ones, or omitted if those are unclear.

    ``data`` is what is left. Paths in it differ from those in the document where a key was replaced, and where an
    item of a list is missing: ``written`` translates.
    """

    def __init__(self, kind: type[T], document: object) -> None:
        self.data = document
        self.kind = kind
        self._document = document
        self._edits: dict[Path, Correction] = {}
        self._origins: dict[Path, Path] = {}
        self._dropped: set[Path] = set()
        self._parts: set[Path] = set()
        self._wrong: dict[Path, dict[Path, Path]] = {}

    @property
    def wrong(self) -> frozenset[Path]:
        """The paths in the document of the wrong entries for which a larger part is left out."""
        return frozenset(place for places in self._wrong.values() for place in places)

    def variant(self, number: int) -> "RepairedDocument[T]":
        """The document with a possible value for each of these entries instead of what was left out for it.

        Each ``number`` takes other values; after the last value of an entry its first one follows.
        """
        from pulumi_gke_tpu.core.plan.reading.possible_values import ABSENT  # only plans with errors need it

        other = RepairedDocument(self.kind, self._document)
        other._dropped = set(self._dropped)
        whole = {part[:end] for part in self._wrong for end in range(len(part) + 1)}
        other._edits = {path: entries for path, entries in self._edits.items() if path not in whole}
        for part, places in self._wrong.items():
            for place, path in places.items():
                values = self._values(place, path)
                at, value = values[number % len(values)] if values else (part, ABSENT)
                other._edits[at] = {} if value is ABSENT else {str(path[-1]): value}
        other._edit()
        return other

    @property
    def size(self) -> int:
        """The number of slice groups in the document."""
        clusters = self._document.get("clusters") if isinstance(self._document, dict) else None
        each = clusters.values() if isinstance(clusters, dict) else ()
        groups = (cluster.get("slices") for cluster in each if isinstance(cluster, dict))
        return sum(len(group) for group in groups if isinstance(group, dict))

    @property
    def most_values(self) -> int:
        """The largest number of possible values of such an entry."""
        entries = (entry for places in self._wrong.values() for entry in places.items())
        return max((len(self._values(*entry)) for entry in entries), default=0)

    def _values(self, place: Path, path: Path) -> tuple[tuple[Path, Any], ...]:
        """Possible values of a wrong entry; ``path`` leads to it in ``data``, where its keys have their right names."""
        from pulumi_gke_tpu.core.plan.reading.possible_values import possible_values  # only plans with errors need it

        found = possible_values(self.kind, self._document, path) if len(place) == len(path) else ()
        return tuple((place[: len(at)], value) for at, value in found)

    def written(self, path: Path) -> Path:
        """The path in the document of a path in ``data``, as it is written there: with its shorthands."""
        return self.original(as_written(self.data, path))

    def original(self, path: Path) -> Path:
        """The path in the document of a path in ``data``."""
        for end in range(len(path), 0, -1):
            origin = self._origins.get(path[:end])
            if origin is not None:
                return origin + path[end:]
        return path

    def lacks(self, path: Path) -> bool:
        """Whether something at or below ``path`` in ``data`` was dropped, so a missing key there is not an error."""
        return self.written(path) in self._dropped

    @property
    def left_out(self) -> frozenset[str]:
        """The clusters and groups that were left out, as CLUSTER and CLUSTER/GROUP."""
        items = set()
        for part in self._parts:
            match part:
                case ("clusters", cluster):
                    items.add(str(cluster))
                case ("clusters", cluster, "slices", group):
                    items.add(f"{cluster}/{group}")
        return frozenset(items)

    @property
    def budgets_left_out(self) -> frozenset[str]:
        """The names of the budgets that were left out; with ``EVERY_BUDGET``, they can be any."""
        names = set()
        for part in self._parts:
            match part:
                case ("budgets", name):
                    names.add(str(name))
                case ("budgets",):
                    names.add(EVERY_BUDGET)
        return frozenset(names)

    def replaces(self, path: Path) -> bool:
        """Whether the entry at ``path`` in the document is itself replaced or dropped."""
        return path in self._edits

    def leave_unread(self, unread: "Mapping[Path, Correction | None]") -> None:
        """Replace ambiguous values by the intended ones, by path, and drop the others."""
        for path, correction in unread.items():
            if correction is None:
                named = self._with_right_keys(path)
                part = _part_to_drop(self.kind, named, "")
                self._drop(part, named, path[: len(part)], path)
            else:
                self._edits[path] = correction
        self._edit()

    def repair(self, error: ValidationError, corrections: "Mapping[Path, Correction]") -> None:
        """Apply the replacements in ``corrections``, by path in ``data``, and drop every other entry with an error."""
        supplied = {(*path[:-1], name) for path, entries in corrections.items() for name in entries}
        errors = [(steps_of(each["loc"]), each) for each in error.errors(include_url=False, include_context=False)]
        above = {path[:end] for path, _ in errors for end in range(len(path))}
        shapeless = {path[:2] for path, entries in corrections.items() if path in above and not entries}
        for part in shapeless:  # what refers to an entry of it may be right
            self._drop(part, part, self.written(part), self.written(part))
        for path, entry in errors:
            if path[:1] in shapeless or path[:2] in shapeless:
                continue
            if entry["type"] == "missing" and path in supplied:
                continue
            origin = self.written(path)
            if path in corrections and origin not in self._edits:
                self._edits[origin] = corrections[path]
                continue
            meant = self._meant(path) if entry["type"] == "extra_forbidden" else path
            part = _part_to_drop(self.kind, meant, entry["type"] if meant == path else "")
            self._drop(part, meant, self.written(part), origin)
        self._edit()

    def _meant(self, path: Path) -> Path:
        """The path in ``data`` with the key that an unknown key means, if its mapping does not have that key."""
        from pulumi_gke_tpu.core.plan.reading.corrections import already_set  # only plans with errors need it

        part, siblings = type_at(self.kind, path[:-1]), value_at(self.data, path[:-1])
        key = already_set(part, str(path[-1]), dict.fromkeys(key_names(part))) if is_plan_model(part) else None
        return path if key is None or not isinstance(siblings, dict) or key in siblings else (*path[:-1], key)

    def _with_right_keys(self, path: Path) -> Path:
        """A path in the document with the intended keys instead of unknown ones."""
        from pulumi_gke_tpu.core.plan.reading.corrections import corrected_key  # only plans with errors need it

        right: Path = ()
        data: Any = self._document
        for step in path:
            part, value = type_at(self.kind, right), _value_at(data, step)
            correction = None
            if is_plan_model(part) and field_of(part, str(step)) is None:
                correction = corrected_key(part, str(step), value, data if isinstance(data, dict) else {})
            right = (*right, next(iter(correction)) if correction else step)
            data = value
        return right

    def _drop(self, part: Path, wrong: Path, origin: Path, place: Path) -> None:
        """Leave out a part because of the wrong entry in it; ``origin`` and ``place`` are these in the document."""
        self._parts.add(part)
        self._edits[origin] = {str(part[0]): _REQUIRED[part]} if part in _REQUIRED else {}
        if part not in _REQUIRED and wrong != part:
            self._wrong.setdefault(origin, {})[place] = wrong
        self._dropped.update(origin[:end] for end in range(len(origin) + 1))

    def _edit(self) -> None:
        self._origins = {}
        self.data = None if () in self._edits else self._edited(self._document, self._tree(), (), ())

    def _tree(self) -> dict[Any, Any]:
        """The edits by step, so that every container is copied once, however many of its entries change."""
        tree: dict[Any, Any] = {}
        for path, entries in self._edits.items():
            branch = tree
            for step in path:
                branch = branch.setdefault(step, {})
            branch[_WHOLE] = entries
        return tree

    def _edited(self, data: object, tree: Mapping[Any, Any], origin: Path, path: Path) -> Any:
        if isinstance(data, dict):
            return self._edited_mapping(data, tree, origin, path)
        return self._edited_list(data, tree, origin, path) if isinstance(data, list) else data

    def _edited_mapping(self, data: Mapping[Any, Any], tree: Mapping[Any, Any], origin: Path, path: Path) -> Any:
        out: dict[Any, Any] = {}
        merged = {name for branch in tree.values() for name in branch.get(_WHOLE, ())}
        for key, value in data.items():
            branch = tree.get(key)
            if branch is None:
                if key not in merged:  # else the entries of another key have this one too
                    out[key] = value
            elif _WHOLE in branch:
                for name, new in branch[_WHOLE].items():
                    is_renamed = len(branch) > 1 and new == value
                    place = (*path, name)
                    out[name] = self._edited(value, branch, (*origin, key), place) if is_renamed else new
                    self._origins[place] = (*origin, key)
            else:
                out[key] = self._edited(value, branch, (*origin, key), (*path, key))
        for key, branch in tree.items():
            if key not in data and key is not _WHOLE:
                out.update(branch.get(_WHOLE, {}))
        return out

    def _edited_list(self, data: list[Any], tree: Mapping[Any, Any], origin: Path, path: Path) -> Any:
        out: list[Any] = []
        for index, value in enumerate(data):
            branch = tree.get(index, {})
            if _WHOLE in branch and not branch[_WHOLE]:
                continue
            place = (*path, len(out))
            if index != len(out):
                self._origins[place] = (*origin, index)
            if _WHOLE in branch:
                out.extend(branch[_WHOLE].values())
            else:
                out.append(self._edited(value, branch, (*origin, index), place) if branch else value)
        return out


def _value_at(data: Any, step: str | int) -> Any:
    if isinstance(data, list) and isinstance(step, int):
        return data[step] if step < len(data) else None  # an entry that was not read is not in the list
    return data.get(step) if isinstance(data, dict) else None


_WHOLE = object()
"""The key in a tree of edits under which the entries are that replace a whole entry."""


def _part_to_drop(kind: type[PlanModel], path: Path, problem: str) -> Path:
    """The entry to drop for an error.

    It is an unknown key, a whole group, run, CPU pool, network or policy, or an optional key of a cluster.
    """
    if problem == "extra_forbidden" or path in _REQUIRED:
        return path
    match path:
        case ("clusters", _, "slices" | "runs" | "cpu_pools" | "additional_networks" | "workload_policies", _, *_):
            return path[:4]
        case ("clusters", _, _, *_):
            return path[:2] if _required(kind, path[:3]) else path[:3]
        case _:
            return path[:2]


def _required(kind: type[PlanModel], path: Path) -> bool:
    parent = type_at(kind, path[:-1])
    field = field_of(parent, str(path[-1])) if is_plan_model(parent) else None
    return field is None or field.is_required()
