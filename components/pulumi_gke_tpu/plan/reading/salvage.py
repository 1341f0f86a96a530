"""Keeps the valid part of a document with errors, so that rules can check it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from pulumi_gke_tpu.findings import Path
from pulumi_gke_tpu.plan.base import PlanModel
from pulumi_gke_tpu.plan.keys import as_written, field_of, is_plan_model, steps_of, type_at

if TYPE_CHECKING:
    from pulumi_gke_tpu.plan.reading.meant import Meant

_STAND_INS = {("version",): 1, ("project",): "unknown-project"}
"""Values for required keys, so that rules can still check the clusters."""


class Salvage:
    """A document in which wrong entries are replaced by the intended ones, or omitted if those are unclear.

    ``data`` is what is left. Paths in it differ from those in the document where a key was replaced, and where an
    item of a list is missing: ``written`` translates.
    """

    def __init__(self, kind: type[PlanModel], document: object) -> None:
        self.data = document
        self._kind = kind
        self._document = document
        self._edits: dict[Path, Meant] = {}
        self._origins: dict[Path, Path] = {}
        self._dropped: set[Path] = set()

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
        """Whether something at or below ``path`` in ``data`` was dropped, so a missing key there is no error."""
        return self.written(path) in self._dropped

    @property
    def left_out(self) -> frozenset[str]:
        """The clusters and groups that were left out, as CLUSTER and CLUSTER/GROUP."""
        items = set()
        for path in (path for path, entries in self._edits.items() if not entries):
            match path:
                case ("clusters", cluster):
                    items.add(str(cluster))
                case ("clusters", cluster, "slices", group):
                    items.add(f"{cluster}/{group}")
        return frozenset(items)

    def replaces(self, path: Path) -> bool:
        """Whether the entry at ``path`` in the document is replaced or dropped by itself."""
        return path in self._edits

    def leave_unread(self, unread: "Mapping[Path, Meant | None]") -> None:
        """Replace ambiguous values by the intended ones, by path, and drop the others."""
        for path, meant in unread.items():
            if meant is None:
                self._drop(_part_to_drop(self._kind, path, ""))
            else:
                self._edits[path] = meant
        self._edit()

    def repair(self, error: ValidationError, meant: "Mapping[Path, Meant]") -> None:
        """Apply the replacements in ``meant``, by path in ``data``, and drop every other entry with an error."""
        supplied = {(*path[:-1], name) for path, entries in meant.items() for name in entries}
        for entry in error.errors(include_url=False, include_context=False):
            path = steps_of(entry["loc"])
            if entry["type"] == "missing" and path in supplied:
                continue
            origin = self.written(path)
            if path in meant and origin not in self._edits:
                self._edits[origin] = meant[path]
                continue
            self._drop(_part_to_drop(self._kind, path, entry["type"]))
        self._edit()

    def _drop(self, part: Path) -> None:
        origin = self.written(part)
        self._edits[origin] = {str(part[0]): _STAND_INS[part]} if part in _STAND_INS else {}
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
        for key, value in data.items():
            branch = tree.get(key)
            if branch is None:
                out[key] = value
            elif _WHOLE in branch:
                out.update(branch[_WHOLE])
                self._origins.update({(*path, name): (*origin, key) for name in branch[_WHOLE]})
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


_WHOLE = object()
"""The key in a tree of edits under which the entries are that replace a whole entry."""


def _part_to_drop(kind: type[PlanModel], path: Path, problem: str) -> Path:
    """The entry to drop for an error: an unknown key, a whole group or CPU pool, or an optional key of a cluster."""
    if problem == "extra_forbidden" or path in _STAND_INS:
        return path
    match path:
        case ("clusters", _, "slices" | "cpu_pools", _, *_):
            return path[:4]
        case ("clusters", _, _, *_):
            return path[:2] if _required(kind, path[:3]) else path[:3]
        case _:
            return path[:2]


def _required(kind: type[PlanModel], path: Path) -> bool:
    parent = type_at(kind, path[:-1])
    field = field_of(parent, str(path[-1])) if is_plan_model(parent) else None
    return field is None or field.is_required()
