"""What a command prints about files, read back as people and programs read it: places and fixes."""

import datetime
import functools
import itertools
import json
import pathlib
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from support.written import findings_as

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import read_inventory_content, read_organization_content, read_plan_content
from pulumi_gke_tpu.core.plan.files.kinds import INVENTORY, ORGANIZATION, PLAN, FileKind
from pulumi_gke_tpu.core.plan.files.mending import CannotApplyError, mended
from pulumi_gke_tpu.core.text.findings import EntryText, Finding, Fix, Rename, Replace, SetKeys, Verbatim
from pulumi_gke_tpu.core.text.yamlfile import YamlProblem, parse_yaml
from pulumi_gke_tpu.core.workflows.check import check_documents

_HEAD = re.compile(r"(?P<file>[^\s:]+):(?P<line>\d+):(?P<column>\d+): (?:error|warning|note) (?P<rule>TPU\d{3}):")
_CARETS = re.compile(r"^  \| +(\^+)$", re.MULTILINE)
_KEY = re.compile(r"""("[^"]*"|[^\s:"{\[][^:\n]*):\Z""")
_FIX = re.compile(r"  try: {5}(?P<one>.+(?:\n {11}.+)*)|  try:(?P<block>(?:\n(?: {4,}.*)?)+)")

OTHER_KINDS = {"inventory": INVENTORY, "organization": ORGANIZATION}
"""Name of a file without its ending -> its kind; every other file is a plan."""


def kind_in(name: str) -> FileKind:
    """The kind of a file, by its name."""
    return OTHER_KINDS.get(name.removesuffix(".yaml"), PLAN)


@dataclass(frozen=True)
class Offer:
    """A fix, and where it was offered."""

    rule: str
    file: str
    line: int
    column: int
    width: int
    """How many characters are marked."""
    fix: str


@dataclass(frozen=True)
class Files:
    """Files by name, as text: plans, and what :data:`OTHER_KINDS` names."""

    texts: dict[str, str]
    catalog: Catalog
    today: datetime.date

    def checked(self) -> tuple[Finding, ...]:
        """Every finding, as ``gke-tpu validate`` has them."""
        return _checked(tuple(self.texts.items()), self.catalog, self.today)

    def with_fix(self, offer: Offer) -> "Files":
        """The same files after a fix."""
        name = pathlib.Path(offer.file).name
        text = mended(self.texts[name], offer.line, offer.column, offer.width, as_pasted(offer.fix))
        return Files({**self.texts, name: text}, self.catalog, self.today)


@functools.cache
def _checked(texts: tuple[tuple[str, str], ...], catalog: Catalog, today: datetime.date) -> tuple[Finding, ...]:
    """Many tests of a corpus look at the same text: with the fix that text, JSON and a comment offer."""
    contents = [(kind_in(name), text.encode(), name) for name, text in texts]
    plans = [read_plan_content(content, name) for kind, content, name in contents if kind == PLAN]
    owned = [read_inventory_content(content, name) for kind, content, name in contents if kind == INVENTORY]
    standards = [read_organization_content(content, name) for kind, content, name in contents if kind == ORGANIZATION]
    return check_documents(plans, (owned or [None])[0], catalog, today, (standards or [None])[0]).findings


def as_pasted(text: str) -> Fix:
    """The fix that a person reads in printed text: a key, entries below or beside each other, or a value.

    Other text is for a line that no parser reads; its indentation shows how much of the line it replaces.
    """
    if text.startswith(" ") or text in ("]", "}"):
        return Verbatim(text, "line" if text.startswith(" ") else "character")
    if text.startswith(("{", "[")):
        return Replace(_read(text))
    if _KEY.match(text):
        return Rename(str(_read(text[:-1])))
    entries = _read(f"{{{text}}}") if "\n" not in text and ": " in text else None
    entries = entries or _read(text)
    if not isinstance(entries, dict):
        return Verbatim(text, "entry" if "\n" in text else "value")
    return SetKeys(tuple(EntryText(key, value) for key, value in entries.items()))


def _read(text: str) -> Any:
    try:
        return parse_yaml(text.encode(), "fix").data
    except YamlProblem:
        return None


def offers_in_json(findings: Iterable[Mapping[str, Any]]) -> Iterator[Offer]:
    """The fixes in the findings that ``--format json`` prints."""
    for entry in findings:
        if entry["fix"]:
            line, column = entry["line"], entry["column"]
            yield Offer(entry["rule"], entry["file"], line, column, entry["end_column"] - column, entry["fix"])


def offers_in_text(text: str) -> Iterator[Offer]:
    """The fixes that people see, whatever is wrapped around them."""
    heads = [*_HEAD.finditer(text)]
    for head, following in itertools.zip_longest(heads, heads[1:]):
        after = following.start() if following else len(text)
        match = _FIX.search(text, head.end(), after)
        if match:
            fix = (match["one"] or "").replace(f"\n{' ' * 11}", "\n") or textwrap.dedent(match["block"]).strip("\n")
            carets = _CARETS.search(text, head.end(), after)
            width = len(carets[1]) if carets else 1
            yield Offer(head["rule"], head["file"], int(head["line"]), int(head["column"]), width, fix)


def offers_of(findings: tuple[Finding, ...]) -> tuple[list[Offer], list[Offer]]:
    """The fixes that ``gke-tpu validate`` prints, as JSON and as text."""
    text = findings_as("text", findings)
    return [*offers_in_json(json.loads(findings_as("json", findings))["findings"])], [*offers_in_text(text)]


def wrong_about(offer: Offer, files: Files, before: tuple[Finding, ...]) -> str:
    """Why a fix does not do what it should: remove its finding, and add none. Empty where it does."""
    try:
        after = files.with_fix(offer).checked()
    except CannotApplyError as error:
        return f"cannot be pasted: {error}"
    same = _kinds(before)
    new = _kinds(after)
    new.subtract(same)
    added = sorted(f"{rule}: {message}" for (rule, message), count in new.items() if count > 0)
    about = [
        found
        for found in before
        if found.position and (found.rule, found.position.line, found.position.column) == _at(offer)
    ]
    gone = any(new[found.rule, found.message] < 0 for found in about)
    if not about:
        return "is offered where nothing was found"
    return "; ".join([*([] if gone else ["its finding stays"]), *(f"adds {text}" for text in added)])


def _at(offer: Offer) -> tuple[str, int, int]:
    return offer.rule, offer.line, offer.column


def _kinds(findings: tuple[Finding, ...]) -> Counter[tuple[str, str]]:
    return Counter((finding.rule, finding.message) for finding in findings)
