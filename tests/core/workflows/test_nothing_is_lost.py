"""Damaged files through `validate --fix`: no entry, value or comment is lost but those that a fix is about.

The measure of these tests reads the text with a loader that makes everything text, and knows nothing of the code that
applies fixes or that checks them. A run tries 150 files, with ``--all`` 2,000, with ``--hypothesis-profile=deep``
100,000.
"""

import datetime
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

import pytest
import yaml
from hypothesis import settings
from support.damaged_files import Damaged, damaged, plan_beside
from support.sampling import SELECTION

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_inventory_content, read_organization_content, read_plan_content
from pulumi_gke_tpu.core.plan.files.kinds import INVENTORY, ORGANIZATION, PLAN
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, SetKeys, Severity
from pulumi_gke_tpu.core.workflows.fixing import FixableFile, Fixer, fixed_text, is_fixable

MOST = 100_000
FILES = MOST if settings().max_examples >= 1_000 else 2_000 if SELECTION.everything else 150
PARTS = 10
FIXER = Fixer(read_catalog(), datetime.date(2026, 11, 20))
LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

Steps = tuple[str, ...]
KEY = "\0key"
IMPLIED = ("COMPACT", "SPECIFIC_RESERVATION", "compute.googleapis.com/reservation-name")
"""Texts of gcloud and Terraform that a topology or the name of a reservation implies."""
READ: dict[str, Callable[..., Any]] = {
    PLAN.name: read_plan_content,
    INVENTORY.name: read_inventory_content,
    ORGANIZATION.name: read_organization_content,
}


def entries(root: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Each key and each value of a file with its path. What an alias repeats comes once."""
    seen: set[int] = set()
    open_nodes: list[tuple[tuple[str | int, ...], Any]] = [((), root)]
    while open_nodes:
        path, node = open_nodes.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            yield from (((*path, str(key.value)), KEY) for key, _ in node.value)
            open_nodes += [((*path, str(key.value)), value) for key, value in reversed(node.value)]
        elif isinstance(node, yaml.SequenceNode):
            open_nodes += [((*path, index), value) for index, value in reversed([*enumerate(node.value)])]
        else:
            yield path, node.value


def read(text: str) -> Counter[tuple[Steps, str]] | None:
    """Every entry and value of a file; None for what no parser reads, or what holds too much."""
    try:
        root = yaml.compose(text, Loader=LOADER)
    except (yaml.YAMLError, RecursionError):
        return None
    return Counter((keys(path), value) for path, value in entries(root))


def keys(path: Sequence[str | int]) -> Steps:
    """A path without the indices of lists, whose items may move."""
    return tuple(step for step in path if isinstance(step, str))


def letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def lost_by(finding: Finding, before: str, after: str) -> list[str]:
    """What one fix took out besides the value at the place of its finding, or the entry that has this one value."""
    old, new = read(before), read(after)
    if old is None:
        lost, more = words(before) - words(after), words(after) - words(before)
        is_joined = Counter("".join(lost.elements())) == Counter("".join(more.elements()))  # `4 x 4` is `4x4` then
        return [] if is_joined else [f"the word {word}" for word in lost]
    if new is None:
        return ["what a parser read before"]
    place = keys(finding.path)
    gone, added = (sorted((one - other).elements()) for one, other in ((old, new), (new, old)))
    there = letters(" ".join(f"{' '.join(path)} {value}" for path, value in added))
    marked = [
        path
        for path, value in entries(yaml.compose(before, Loader=LOADER))
        if value != KEY and path[: len(finding.path)] == finding.path
    ]
    found = []
    said = finding.change.said if isinstance(finding.change, SetKeys) else frozenset()
    for path, value in gone:
        if value in said and path[: len(place) - 1] == place[:-1]:
            continue  # the entries say it in another form; what they have instead is in the corpus
        is_there = not is_elsewhere(path, place, finding) and (value == KEY or letters(value) in there)
        if not place or not (is_there or (len(marked) <= 1 and not is_elsewhere(path, place, finding))):
            found.append(f"{'.'.join(path)}: {value}")
    return found


def is_elsewhere(path: Steps, place: Steps, finding: Finding) -> bool:
    """Whether an entry is neither in the one that a finding is about, nor around it, nor beside it with the new key.

    A path of a finding can have a step that a file leaves out, such as ``existing`` in ``network: {network: NAME}``.
    """
    beside = path[:-1] == place[:-1] and path[-1:] == (finding.fix.partition(":")[0],)
    shorter = path[-1:] == place[-1:] and path[:-1] == place[: len(path) - 1]
    return path[: len(place)] != place and place[: len(path)] != path and not beside and not shorter


def words(text: str) -> Counter[str]:
    """The words of what no parser reads; `4*4` is `4x4`."""
    return Counter("".join(char if char.isalnum() else " " for char in text.casefold().replace("*", "x")).split())


def said_twice(entries: Counter[tuple[tuple[str, ...], str]]) -> int:
    """How many values the top level has twice, under a key and under a misspelling of it."""
    found = [(path[0], value) for path, value in entries if len(path) == 1 and value != KEY]
    return sum(
        value == other and 0.8 <= SequenceMatcher(None, key, beside).ratio() < 1
        for (key, value), (beside, other) in itertools.combinations(found, 2)
    )


def is_said(value: str, there: str) -> bool:
    """Whether a value is among the new entries, at least each word of it: a path becomes a project and a name."""
    return letters(value) in there or all(letters(word) in there for word in re.findall(r"[\w.-]+", value))


def lost_in_all(before: str, after: str, applied: int) -> list[str]:
    """What all fixes of a file together took out: more values than there are fixes, or an entry of the file."""
    old, new = read(before), read(after)
    if old is None or new is None:
        return []
    fewer = sum(count for (path, value), count in old.items() if len(path) == 1 and value == KEY) - said_twice(old)
    fewer -= sum(count for (path, value), count in new.items() if len(path) == 1 and value == KEY)
    there = letters(" ".join(f"{path[-1] if path else ''} {value}" for path, value in new))
    gone = [value for _, value in (old - new).elements() if value not in (KEY, *IMPLIED) and not is_said(value, there)]
    return [*(["an entry of the file"] if fewer > 0 else []), *(gone if len(gone) > applied else [])]


def wrong_about(file: Damaged) -> Iterator[str]:
    """What is lost by all fixes of a file, and by each fix that an editor offers for it."""
    given = FixableFile("file.yaml", file.content, file.kind)
    report = FIXER.fix([given] if file.kind == PLAN else [FixableFile("plan.yaml", plan_beside()), given])
    before, after = given.text or "", report.after[-1].text or ""
    yield from (f"comment {comment}" for comment in file.comments if after.count(comment) != before.count(comment))
    yield from lost_in_all(before, after, report.applied)
    document = READ[file.kind.name](file.content, "file.yaml", past_syntax=True)
    checked = check_plan(document, FIXER.catalog, FIXER.today).findings if file.kind == PLAN else document.findings
    for finding in checked:
        if is_fixable(finding):
            fixed, _ = fixed_text(before, [finding])
            yield from (f"{finding.rule} {finding.fix!r} loses {each}" for each in lost_by(finding, before, fixed))


@pytest.mark.parametrize("part", range(PARTS))
def test_every_entry_value_and_comment_is_kept(part: int) -> None:
    wrong = {}
    for number in range(part, FILES, PARTS):
        file = damaged(SELECTION.seed * MOST + number)
        found = [*wrong_about(file)]
        if found:
            wrong[file.name] = found
    assert not wrong


def test_most_damaged_files_are_fixed_at_least_in_part() -> None:
    reports = [FIXER.fix([FixableFile("file.yaml", damaged(number).content)]) for number in range(100)]
    assert sum(report.applied > 0 for report in reports) > 30


def test_the_measure_finds_what_is_lost() -> None:
    text = "resource_labels: {team: ml}\nclusters:\n  a: {mode: Standard, location: us-east5}\n"
    about = Finding("TPU023", Severity.ERROR, ("clusters", "a", "mode"), "")
    assert lost_by(about, text, text.replace("Standard", "standard")) == []
    assert lost_by(about, text, text.replace("Standard, location: us-east5", "standard")) != []
    assert lost_by(about, text, text.replace("resource_labels: {team: ml}", "version: 1")) != []
    assert lost_in_all(text, text.replace("resource_labels: {team: ml}\n", ""), 1) != []
    assert lost_in_all(text, text.replace("{team: ml}", "{}").replace("us-east5", "x"), 1) != []
