"""The page "Rules by source": which rules check the clusters and node pools of which tool, and why others do not."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.rules import Rule
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.text.document.markdown_writer import write_markdown
from pulumi_gke_tpu.core.text.document.model import Column, Heading, Line, Link, Paragraph, Prose, Table

TOOLS: Mapping[str, str] = {
    "terraform": "Terraform plan",
    "pulumi": "Pulumi state",
    "gcloud": "answer of gcloud",
    "objects": "Kubernetes object",
}
"""The sources of the page: key in ``silent_in`` of a rule -> what is read."""
_SCOPES = (Scope.PLAN, Scope.POOL, Scope.STACK)
_NO_PLAN = "no plan can express it"
_OF_PROGRAMS = "it is about what a program sets"
_AT_CREATION = "once the node pool exists, the fix would replace it"


def silence(rule: Rule[Any], tool: str) -> str:
    """Why a rule does not check the resources of a tool, as a clause; empty if it does."""
    if rule.plans_only:
        return rule.plans_only
    if rule.of_programs and tool in ("pulumi", "gcloud"):
        return _OF_PROGRAMS
    if rule.at_creation and tool != "terraform":
        return _AT_CREATION
    return rule.silent_in.get(tool, "")


def rules_by_source_page(rules: Iterable[Rule[Any]]) -> str:
    """The Markdown page, with a final line break."""
    listed = [rule for rule in rules if rule.scope in _SCOPES]
    about = Prose(
        "Rules about a plan also check clusters and node pools that other tools describe. This page is generated from "
        "the rules. A Kubernetes object is one of Config Connector, Crossplane or Cluster API; it has only the "
        "properties that its kind has. The files of a Terraform configuration and `pulumi preview --json` are "
        "programs: rules about what a program sets check them, but no state. Rules about Kubernetes manifests, "
        "inventories, several plans and changes are not listed."
    )
    columns = tuple(map(Column, ("rule", "plan", *TOOLS.values(), "reason")))
    return write_markdown([Heading("Rules by source"), Paragraph(about), Table(columns, [*map(_row, listed)])])


def _row(rule: Rule[Any]) -> tuple[Line, ...]:
    reasons = {tool: silence(rule, tool) for tool in TOOLS}
    of_plans = rule.scope is Scope.PLAN
    named = (Link(rule.id, f"rules/{rule.id}.md"), f" {rule.title}")
    cells = ("yes" if of_plans else "no", *("no" if reason else "yes" for reason in reasons.values()))
    return (named, *cells, Prose("; ".join(_told(reasons, of_plans))))


def _told(reasons: Mapping[str, str], of_plans: bool) -> Iterator[str]:
    if not of_plans:
        yield _NO_PLAN
    yield from dict.fromkeys(filter(None, reasons.values()))
