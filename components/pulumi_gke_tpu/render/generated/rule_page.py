"""Rules as pages: what a rule reports, why, an example of each kind, the fix, the source; and their index."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_gke_tpu.catalog.records.facts import Source
from pulumi_gke_tpu.document.markdown_escape import fenced, text
from pulumi_gke_tpu.findings import safe
from pulumi_gke_tpu.rules import Rule

_BREAKABLE = {
    "plan": "",
    "file": "This is about the file itself, whatever it says.",
    "inventory": "It is judged where an inventory is given: `gke-tpu validate PLAN --inventory FILE`.",
    "fleet": "It is judged where several plans are given together: `gke-tpu validate PLAN PLAN`.",
    "change": "It is judged where a plan changes: `gke-tpu diff BASE HEAD`. The first plan is the one before.",
    "component": "It is checked where a program uses `TpuSlices`; the examples are its arguments.",
    "derived": "A plan cannot express this; the rule is about resources that were written without one.",
}
_GROUPS = {
    "0": "Files and their form",
    "1": "Slices and topologies",
    "2": "Places, networks and versions",
    "3": "Capacity",
    "4": "Scaling",
    "5": "Disks and nodes",
    "6": "Maintenance",
    "7": "Kubernetes",
    "8": "Inventory and several plans",
    "9": "Policy, and changes of a plan",
}
_CODE = re.compile(r"(`[^`]*`)")


def rule_page(rule: Rule[Any], sources: Mapping[str, Source]) -> str:
    """A rule as a Markdown page, with a final line break."""
    why = f"{rule.why[0].upper()}{rule.why[1:]}."
    scope = [_BREAKABLE[rule.scope.breakable]] if _BREAKABLE[rule.scope.breakable] else []
    judged = [f"Judged on {rule.today}."] if rule.today else []
    parts = [
        f"# {rule.id}: {_prose(rule.title)}",
        f"`{rule.name}`, since {rule.since}",
        " ".join([f"Severity: {severity_words(rule, '**')}.", *scope]),
        "## Why",
        _prose(why),
        "## Example",
        *judged,
        fenced(rule.failing, "yaml"),
        "## Use instead",
        fenced(rule.passing, "yaml"),
        "## Fix",
        _prose(rule.fix),
        "## Source",
        _sources(rule, sources),
    ]
    return "\n\n".join(parts) + "\n"


def _sources(rule: Rule[Any], sources: Mapping[str, Source]) -> str:
    """A list of the references with their links, and what no source of the catalog states."""
    shown = [sources[name] for name in rule.references if name in sources]
    lines = [f"[{text(source.title)}]({source.link})" if source.link else text(source.title) for source in shown]
    if rule.source:
        lines.append(_prose(f"{rule.source[0].upper()}{rule.source[1:]}."))
    return "\n".join(f"- {line}" for line in lines)


def rule_index(rules: Iterable[Rule[Any]]) -> str:
    """The Markdown page that lists all rules, by group, with links to their pages beside it."""
    parts = [
        "# Rules",
        "Everything that `gke-tpu validate` can find, and what `gke-tpu diff` finds in a change. Only a fact of high "
        "confidence on which sources agree makes an error; a warning can be accepted in the plan. The page of a rule "
        "with several severities states what they depend on. `gke-tpu rule TPU112` shows a page in the "
        "terminal.",
        "An example is a whole plan, the body of a cluster, or the body of a slice group `pretrain` in a Standard "
        "cluster in us-east5. A line `--- plan` begins another plan, `--- inventory` the inventory.",
    ]
    groups: dict[str, list[Rule[Any]]] = {}
    for rule in rules:
        groups.setdefault(rule.id[3], []).append(rule)
    for digit, members in groups.items():
        parts.append(f"## TPU{digit}xx: {_GROUPS.get(digit, 'Others')}")
        rows = [
            f"| [{rule.id}]({rule.id}.md) | {rule.name} | {' or '.join(severity.word for severity in rule.severities)} "
            f"| {text(rule.title)} |"
            for rule in members
        ]
        parts.append("\n".join(["| rule | name | severity | what it finds |", "| --- | --- | --- | --- |", *rows]))
    return "\n\n".join(parts) + "\n"


def severity_words(rule: Rule[Any], mark: str = "") -> str:
    """Every severity of a rule and what it depends on: ``error; warning where no disk type is written``."""
    return "; ".join(f"{mark}{severity.word}{mark} {where}".rstrip() for severity, where in rule.severities.items())


def rule_pages(rules: Iterable[Rule[Any]], sources: Mapping[str, Source]) -> dict[str, str]:
    """File name -> content of every rule page, and of the index."""
    rules = tuple(rules)
    return {"README.md": rule_index(rules), **{f"{rule.id}.md": rule_page(rule, sources) for rule in rules}}


def _prose(said: str) -> str:
    """Our own words, in which only code is marked; everything else is taken as it stands."""
    parts = _CODE.split(safe(" ".join(said.split())))
    return "".join(part if part.startswith("`") else text(part) for part in parts)
