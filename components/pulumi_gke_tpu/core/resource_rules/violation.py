"""The violation of a policy by a resource, and its text in the output of the engine."""

import dataclasses
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.rules.engine.rule import Hit, Rule, links_of, source_of
from pulumi_gke_tpu.core.rules.engine.run import weighed
from pulumi_gke_tpu.core.text.findings import Fix, Path, Severity, format_path, listed, printable

_MOST_ALLOWED = 12


@frozen
class Violation:
    """The violation of a rule, with everything that is shown."""

    rule: str
    severity: Severity
    where: str
    message: str
    inside: Path = field(default=(), compare=False)
    """The keys and indices below the property ``where``, such as the name of a label."""
    allowed: tuple[str, ...] = ()
    advice: str = ""
    """What to do, in words; empty with a fix."""
    change: Fix | None = None
    why: str = ""
    source: str = ""
    links: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The lines under the rule's title."""
        parts = {
            "allowed": listed([printable(item) for item in self.allowed], "", most=_MOST_ALLOWED),
            "try": self.change.text if self.change is not None else "",
            "fix": self.advice,
            "why": self.why,
            "source": self.source,
            "see": self.links[0] if self.links else "",
        }
        lines = [f"{self.rule} {printable(self.where)}: {self.message}"]
        lines += [f"  {name + ':':<9}{text}" for name, text in parts.items() if text]
        return "\n".join(lines)


def violation(rule: Rule[Any], hit: Hit, catalog: Catalog) -> Violation:
    """The violation of a rule. Only a fact of high confidence causes an error; weaker and contested facts warn."""
    severity, fact = weighed(rule, hit.severity, hit.fact, catalog)
    return Violation(
        rule=rule.id,
        severity=severity,
        where=format_path(hit.path),
        message=hit.message,
        allowed=hit.allowed,
        advice="" if hit.fix else hit.advice or rule.fix,
        change=hit.fix,
        why=rule.why,
        source=source_of(rule, fact, catalog),
        links=links_of(rule, fact, catalog),
    )


def in_place(found: Violation, place: str) -> Violation:
    """The violation of a node pool inside a cluster, with the path in the cluster."""
    own = not place or found.where in ("location", "minMasterVersion")
    return found if own else dataclasses.replace(found, where=f"{place}{found.where}")
