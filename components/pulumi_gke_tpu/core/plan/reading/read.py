"""Reads plans, inventories and organization files, or plain data, and reports every error of form."""

import dataclasses
import pathlib
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_origin

from pydantic import ValidationError

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.keys import is_plan_model, type_at
from pulumi_gke_tpu.core.plan.model import Plan
from pulumi_gke_tpu.core.plan.reading.repaired import RepairedDocument
from pulumi_gke_tpu.core.text.findings import (
    Finding,
    Fix,
    Path,
    Position,
    SetKeys,
    Severity,
    as_only,
    quoted,
    sort_findings,
)
from pulumi_gke_tpu.core.text.yamlfile import YamlFile, YamlProblem, parse_yaml, read_content, unreadable

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.inventory import Inventory
    from pulumi_gke_tpu.core.plan.organization import Organization

_FREE = "extra"
"""The keys below it are properties of the provider, which may accept an empty value."""

_DEFAULTS = "flex_start"
"""This key needs no value."""


def empty_values(data: object, path: Path = ()) -> Iterator[Finding]:
    """A finding for every key or list entry without a value. The caller skips an explicit null."""
    entries: Iterator[tuple[str | int, Any]] = iter(())
    if isinstance(data, dict):
        entries = ((key, value) for key, value in data.items() if key != _FREE)
    elif isinstance(data, list):
        entries = iter(enumerate(data))
    for step, value in entries:
        if value is None and step != _DEFAULTS:
            yield _empty((*path, step))
        else:
            yield from empty_values(value, (*path, step))


def _empty(path: Path) -> Finding:
    key = path[-1]
    name = quoted(key) if isinstance(key, str) else "an entry of the list"
    return Finding(
        "TPU022",
        Severity.ERROR,
        path,
        f"{name} has no value",
        why="an empty value would count as a missing key, but only a key that is not set gets the default",
        change=SetKeys.of({key: {}}) if key == "create" or path[-2:-1] == ("operators",) else None,
    )


T = TypeVar("T", bound=PlanModel)


@frozen
class Document(Generic[T]):
    """What was read: the content, or as much of it as has the right form, and the findings of reading.

    ``content`` is None when nothing usable is left. ``name`` is the file's name as given, or empty.
    """

    content: T | None
    name: str = ""
    findings: tuple[Finding, ...] = ()
    yaml: YamlFile | None = None
    repaired: RepairedDocument[T] | None = field(default=None, repr=False)
    """Translates paths of the content to paths of the file; None if they are equal."""
    describes_resources: bool = False
    """Whether it was made of resources that other tools wrote."""

    def variants(self) -> "Iterator[Document[T]]":
        """The document with possible values instead of the wrong entries of items that were left out for them.

        The items are whole in each of these documents. There are none if nothing was left out.
        """
        kept = self.repaired
        if kept is None or not kept.wrong:
            return
        for number in range(min(kept.most_values, max(_FEWEST_TURNS, _MOST_GROUPS // max(1, kept.size)))):
            content, findings, other = _validated(kept.variant(number), self.yaml, {})
            located = Document(None, self.name, (), self.yaml).locate(findings)
            yield Document(content, self.name, located, self.yaml, other)

    @property
    def is_read(self) -> bool:
        """Whether the file is one valid YAML document."""
        return self.yaml is not None and not self.yaml.is_mended

    @property
    def wrong(self) -> frozenset[Path]:
        """The paths of the wrong entries for which a larger part of the document was left out."""
        return self.repaired.wrong if self.repaired is not None else frozenset()

    def locate(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Add the position in the file to each finding, if there is a file."""
        yaml = self.yaml
        if yaml is None:
            kept = self.repaired
            if kept is None:
                return sort_findings(findings)
            return sort_findings(dataclasses.replace(each, path=kept.original(each.path)) for each in findings)
        placed = (finding if finding.position else self._placed(finding, yaml) for finding in findings)
        return sort_findings(placed) if not yaml.is_mended else sort_findings(self._in_mended(placed, yaml))

    def position_of(self, path: Path) -> Position | None:
        """The position in the file of an entry of the content; None without a file."""
        return None if self.yaml is None else self._placed(Finding("", Severity.NOTE, path, ""), self.yaml).position

    def _in_mended(self, findings: Iterable[Finding], yaml: YamlFile) -> Iterator[Finding]:
        """The findings in a file whose syntax errors were corrected; only these are fixed without asking.

        An unknown key in a corrected line means that the line can have another meaning.
        """
        for finding in findings:
            if finding.rule != "TPU020" or not yaml.is_corrected(finding.path):
                is_only = finding.only_fix and finding.rule == "TPU003"
                yield dataclasses.replace(finding, change=as_only(finding.change, is_only))

    def _placed(self, finding: Finding, yaml: YamlFile) -> Finding:
        kept: RepairedDocument[Any] = self.repaired or RepairedDocument(Plan, yaml.data)
        about_key = finding.rule in _ABOUT_KEYS or _has_a_name(kept.kind, finding.path)
        position = yaml.position(kept.written(finding.path), key=about_key)
        path = kept.original(finding.path)
        if _has_more_than_one_line(finding.change) and yaml.in_braces(kept.written(finding.path)):
            finding = _between_braces(finding)
        return dataclasses.replace(finding, path=path, position=position)


def _has_more_than_one_line(fix: Fix | None) -> bool:
    """Whether a fix cannot be pasted between braces as it is printed on lines of its own."""
    return fix is not None and ("\n" in fix.text or (isinstance(fix, SetKeys) and bool(fix.remarks)))


def _between_braces(finding: Finding) -> Finding:
    """The finding with a fix in one line: its entries with commas, its remarks in the reason.

    Between braces, entries on lines of their own are a syntax error.
    """
    fix = finding.change
    if not isinstance(fix, SetKeys) or fix.between_braces is None:
        return dataclasses.replace(finding, change=None)  # one line would be too long
    return dataclasses.replace(
        finding,
        change=fix.between_braces,
        why=". ".join(filter(None, (finding.why, *(f"About the fix: {each}" for each in fix.remarks)))),
    )


_ABOUT_KEYS = frozenset({"TPU020", "TPU025"})


def _has_a_name(kind: type[PlanModel], path: Path) -> bool:
    """Whether the key at a path is a name that the user chooses, such as that of a slice group."""
    return bool(path) and get_origin(type_at(kind, path[:-1])) is dict and is_plan_model(type_at(kind, path))


def read_plan(path: pathlib.Path, name: str | None = None, *, past_syntax: bool = False) -> Document[Plan]:
    """Read a plan file. It never fails because of the content: problems are findings of the document.

    With ``past_syntax``, reading goes on behind a syntax error that has only one fix.
    """
    return _read(path, name, Plan, past_syntax)


def read_inventory(path: pathlib.Path, name: str | None = None, *, past_syntax: bool = False) -> "Document[Inventory]":
    """Read an inventory file, in the same way as a plan."""
    from pulumi_gke_tpu.core.plan.inventory import Inventory  # only few commands need it

    return _read(path, name, Inventory, past_syntax)


def read_plan_content(content: bytes, name: str, *, past_syntax: bool = False) -> Document[Plan]:
    """Read the content of a plan file that is not on disk, such as that of a revision."""
    return _read_content(content, name, Plan, past_syntax)


def read_inventory_content(content: bytes, name: str, *, past_syntax: bool = False) -> "Document[Inventory]":
    """Read the content of an inventory file, in the same way as that of a plan."""
    from pulumi_gke_tpu.core.plan.inventory import Inventory

    return _read_content(content, name, Inventory, past_syntax)


def read_organization(path: pathlib.Path, *, past_syntax: bool = False) -> "Document[Organization]":
    """Read an organization file, in the same way as a plan."""
    from pulumi_gke_tpu.core.plan.organization import Organization  # only few commands need it

    return _read(path, None, Organization, past_syntax)


def read_organization_content(content: bytes, name: str, *, past_syntax: bool = False) -> "Document[Organization]":
    """Read the content of an organization file, in the same way as that of a plan."""
    from pulumi_gke_tpu.core.plan.organization import Organization

    return _read_content(content, name, Organization, past_syntax)


def unreadable_plan(name: str, reason: str) -> Document[Plan]:
    """A document without content, for a plan that cannot be read. ``reason`` must be safe to print."""
    return Document(None, name, unreadable(name, reason).findings)


def parse_plan(data: object) -> Document[Plan]:
    """Check plain data, such as a component's arguments, as a plan."""
    content, findings, kept = _parse(Plan, data, None)
    return Document(content, "", findings, None, kept)


def _read(path: pathlib.Path, name: str | None, kind: type[T], past_syntax: bool) -> Document[T]:
    shown = name or str(path)
    try:
        content = read_content(path, shown)
    except YamlProblem as problem:
        return Document(None, shown, sort_findings(problem.findings))
    return _read_content(content, shown, kind, past_syntax)


def _read_content(content: bytes, shown: str, kind: type[T], past_syntax: bool) -> Document[T]:
    unread: tuple[Finding, ...] = ()
    try:
        file = parse_yaml(content, shown)
    except YamlProblem as problem:
        from pulumi_gke_tpu.core.plan.reading.ambiguous import suited
        from pulumi_gke_tpu.core.plan.reading.foreign import (  # only files with errors need them
            is_ours,
            of_another_kind,
        )

        ours = is_ours(kind, content)
        if past_syntax and ours and problem.partial is None:
            from pulumi_gke_tpu.core.plan.reading.recovered import recovered

            found = recovered(content, shown, problem)
        else:
            found = problem
        data = found.partial.data if found.partial is not None else None
        unread = sort_findings(suited(kind, finding, data) for finding in found.findings)
        if found.partial is None or not ours:
            return Document(None, shown, unread if ours else of_another_kind(kind, unread, content))
        file = found.partial
    parsed, findings, kept = _parse(kind, file.data, file, unread)
    reported = {finding.path for finding in findings}
    findings += tuple(
        finding
        for finding in empty_values(file.data)
        if finding.path not in reported and not kept.replaces(finding.path) and not file.written(finding.path)
    )
    located = Document(parsed, shown, (), file).locate(findings)
    if findings:
        from pulumi_gke_tpu.core.plan.reading.foreign import is_ours, of_another_kind

        if not is_ours(kind, content, file.data):
            return Document(None, shown, of_another_kind(kind, located, content, file.data))
    return Document(parsed, shown, located, file, kept)


def _parse(
    kind: type[T], data: object, file: YamlFile | None, unread: tuple[Finding, ...] = ()
) -> tuple[T | None, tuple[Finding, ...], RepairedDocument[T]]:
    """Validate; on errors go on with the intended values, or without the wrong ones, so that rules can check the rest.

    ``unread`` are the findings about values that YAML readers do not read alike.
    """
    findings = {(finding.rule, finding.path, finding.message): finding for finding in unread}
    kept = RepairedDocument(kind, data)
    if unread:
        from pulumi_gke_tpu.core.plan.reading.ambiguous import unread_values

        kept.leave_unread(unread_values(kind, unread))
    return _validated(kept, file, findings)


def _validated(
    kept: RepairedDocument[T], file: YamlFile | None, findings: dict[tuple[str, Path, str], Finding]
) -> tuple[T | None, tuple[Finding, ...], RepairedDocument[T]]:
    kind = kept.kind

    def written(path: Path) -> str | None:
        return None if file is None else file.written(kept.written(path))

    def span(first: Path, last: Path) -> tuple[Position, str]:
        assert file is not None
        return file.span(kept.written(first), kept.written(last))

    for _ in range(_MOST_PASSES):
        try:
            content = kind.model_validate(kept.data)
            if isinstance(content, Plan):
                content.note_unread(kept.left_out, kept.budgets_left_out)
            return content, tuple(findings.values()), kept
        except ValidationError as error:
            from pulumi_gke_tpu.core.plan.reading.shape import shape_findings  # only plans with errors need it

            found = shape_findings(error, kind, kept.data, written, span if file else None)
            for finding in found.findings:
                if finding.rule == "TPU020" or not kept.lacks(finding.path):
                    path = kept.original(finding.path)
                    placed = dataclasses.replace(finding, path=path)
                    findings.setdefault((placed.rule, placed.path, placed.message), placed)
            kept.repair(error, found.corrections)
        if not isinstance(kept.data, dict):
            break
    return None, tuple(findings.values()), kept


_MOST_PASSES = 4
_FEWEST_TURNS = 4
_MOST_GROUPS = 2_400
"""Maximum number of slice groups in all documents with possible values, so that large plans do not take minutes."""
