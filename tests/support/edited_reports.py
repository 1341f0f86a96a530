"""Edits of the corpus as the command compares them, and what it prints about them applied to the plans."""

import copy
import dataclasses
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import yaml
from support.editing import BASES, Edit, edited
from support.shipped import TODAY, Plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan.entries import REASON_TO_WRITE
from pulumi_gke_tpu.core.workflows.check import PlanFile
from pulumi_gke_tpu.features.diff.comparison.comparison import Comparison, DiffOptions, compare_files
from pulumi_gke_tpu.features.diff.output.comment import change_markdown
from pulumi_gke_tpu.features.diff.output.document import change_text
from pulumi_gke_tpu.features.diff.output.json import change_json
from pulumi_gke_tpu.features.diff.output.page import ChangePage, change_page

PLAN = "plan.yaml"
_FENCE = re.compile(r"^([^\n]*):\n\n```yaml\n(.*?)\n```", re.MULTILINE | re.DOTALL)
_ON_BASE = "on the base branch"


@dataclasses.dataclass(frozen=True)
class Block:
    """One block that was printed, and the side that it belongs to."""

    side: str
    text: str


@functools.cache
def compared(edit: Edit) -> Comparison:
    """An edit of the corpus."""
    return compare_plans(BASES[edit.base](), edited(edit))


def compare_plans(base: Plan, head: Plan, ack_from: Any = "head") -> Comparison:
    """Two plans, as the command compares their files."""
    options = DiffOptions(read_catalog(), None, TODAY, ack_from=ack_from)
    before, after = (PlanFile(PLAN, _written(plan)) for plan in (base, head))
    return compare_files({PLAN: before}, {PLAN: after}, options, base_name="main", head_name="HEAD")


def _written(plan: Plan) -> bytes:
    """A plan as a file; the day is an argument of programs only."""
    keys = {key: value for key, value in plan.items() if key != "today"}
    return yaml.safe_dump(keys, sort_keys=False).encode()


def page(comparison: Comparison) -> ChangePage:
    """What is shown of a comparison."""
    return change_page(comparison.report, comparison.findings)


def blocks_in_markdown(comparison: Comparison) -> list[Block]:
    """The fenced blocks of the comment."""
    found = _FENCE.findall(change_markdown(page(comparison)))
    return [Block("base" if _ON_BASE in lead else "head", text) for lead, text in found]


def blocks_in_text(comparison: Comparison) -> list[Block]:
    """The blocks for the terminal: lines of YAML from the first column, below a line with their destination."""
    found: list[Block] = []
    for part in change_text(page(comparison), resources=False, width=100, color=False).split("\n\n"):
        lines = part.split("\n")
        start = next(
            (number for number, line in enumerate(lines) if re.match(r"(acknowledge|moved):|- \{", line)), None
        )
        if start is not None and lines[start - 1].endswith(":"):
            block = [line for line in lines[start:] if re.match(r"\S+:|\s*- \{", line)]
            found.append(Block("base" if _ON_BASE in " ".join(lines[:start]) else "head", "\n".join(block)))
    return found


def blocks_in_json(comparison: Comparison) -> list[Block]:
    """The fixes of the items, each alone."""
    found = {
        Block(fix["side"], f"{fix['key']}\n{fix['text']}")
        for item in change_json(page(comparison))["items"]
        for fix in item["fixes"]
    }
    return sorted(found, key=lambda block: (block.side, block.text))


def with_reason(text: str) -> str:
    """A proposed entry as a user completes it."""
    return text.replace(f"reason: {REASON_TO_WRITE}", "reason: agreed with the team")


def pasted(plan: Plan, text: str) -> Plan:
    """A plan after a block was pasted: a whole key replaces the existing one, entries are added at its end.

    The reason is completed, as a plan requires.
    """
    text = with_reason(text)
    result = copy.deepcopy(plan)
    key, _, rest = text.partition("\n")
    if not key.endswith(":") and rest:
        text = rest
    block = yaml.safe_load(text)
    if isinstance(block, list):
        name = key if not key.startswith("-") else "moved" if "from" in block[0] else "acknowledge"
        result.setdefault(name, []).extend(block)
    else:
        assert block.keys() <= {"acknowledge", "moved"}
        for name, value in block.items():
            assert all(entry in _texts(value) for entry in _texts(result.get(name, []))), "the block loses an entry"
            result[name] = value
    return result


def _texts(entries: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Entries in which every value is text: a plan may write a day with quotes."""
    return [{key: str(value) for key, value in entry.items()} for entry in entries]


def after_block(base: Plan, head: Plan, block: Block, ack_from: Any = "head") -> Comparison:
    """The comparison after a block is pasted.

    What belongs to the base branch is in the change as well, as after a rebase, without the entries for what the
    change removes.
    """
    if block.side == "head":
        return compare_plans(base, pasted(head, block.text), ack_from)
    before, after = pasted(base, block.text), copy.deepcopy(head)
    names, known = set(items_of(head)), _texts([*base.get("acknowledge", []), *head.get("acknowledge", [])])
    new = [entry for entry in _texts(before["acknowledge"]) if entry not in known and entry["of"] in names]
    after["acknowledge"] = [*after.get("acknowledge", []), *new]
    return compare_plans(before, after, ack_from)


def items_of(plan: Plan) -> Iterator[str]:
    """The clusters and groups of a plan."""
    for name, cluster in plan["clusters"].items():
        yield name
        yield from (f"{name}/{group}" for group in cluster.get("slices", {}))


def fixes_of_findings(comparison: Comparison) -> Sequence[tuple[str, Sequence[Any], str]]:
    """Rule, path and fix of every finding that has one."""
    return [(found.rule, found.path, found.fix) for found in comparison.findings if found.fix and not found.accepted]


def with_fix(plan: Plan, path: Sequence[Any], fix: str) -> Plan:
    """A plan with the fix of a finding in the item of the finding, or under a top-level key."""
    value = yaml.safe_load(fix)
    if isinstance(value, list) or value.keys() <= {"acknowledge", "moved"}:
        return pasted(plan, fix)
    result = copy.deepcopy(plan)
    target: Any = result
    steps = path[:-1] if path[-1] in value else path[: 4 if "slices" in path else 2]
    for step in steps:
        target = target[step]
    target.update(value)
    if "count" in value and isinstance(value["count"], dict):
        for key in ("min", "max"):
            target.pop(key, None)
    return result


def said(comparison: Comparison) -> set[tuple[str, str, str]]:
    """The findings, without the numbers of deleted hosts, which are sums over all items."""
    return {
        (found.rule, found.severity.name, "" if found.rule == "TPU958" else found.message)
        for found in comparison.findings
        if not found.accepted
    }
