"""What a policy says of a resource, and how it reads in the engine's output."""

import dataclasses
from dataclasses import dataclass

from pulumi_gke_tpu.catalog import Catalog, Fact
from pulumi_gke_tpu.findings import Severity, printable
from pulumi_gke_tpu.rules.engine.rule import Rule, weighed
from pulumi_gke_tpu.rules.engine.run import source_of

_MOST_ALLOWED = 12


@dataclass(frozen=True, slots=True)
class Broken:
    """One place where a resource breaks a rule. What is left empty is taken from the rule."""

    where: str
    message: str
    fact: Fact | None = None
    severity: Severity | None = None
    allowed: tuple[str, ...] = ()
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A broken rule with everything a person needs to know."""

    rule: str
    severity: Severity
    where: str
    message: str
    allowed: tuple[str, ...] = ()
    fix: str = ""
    why: str = ""
    source: str = ""

    @property
    def text(self) -> str:
        """The lines under the rule's title."""
        allowed = ", ".join(printable(item) for item in self.allowed[:_MOST_ALLOWED])
        more = len(self.allowed) - _MOST_ALLOWED
        parts = {
            "allowed": f"{allowed} and {more} more" if more > 0 else allowed,
            "try": self.fix,
            "why": self.why,
            "source": self.source,
        }
        lines = [f"{self.rule} {printable(self.where)}: {self.message}"]
        lines += [f"  {name + ':':<9}{text}" for name, text in parts.items() if text]
        return "\n".join(lines)


def verdict(rule: Rule, broken: Broken, catalog: Catalog) -> Verdict:
    """The verdict on a broken rule. Only a certain fact may be an error: weaker and contested ones warn."""
    severity, fact = weighed(rule, broken.severity, broken.fact, catalog)
    return Verdict(
        rule=rule.id,
        severity=severity,
        where=broken.where,
        message=broken.message,
        allowed=broken.allowed,
        fix=broken.fix or rule.fix,
        why=rule.why,
        source=source_of(rule, fact, catalog),
    )


def in_cluster(found: Verdict, place: str) -> Verdict:
    """The verdict on a pool inside a cluster, with the path from the cluster on."""
    own = found.where in ("location", "minMasterVersion")
    return found if own else dataclasses.replace(found, where=f"{place}{found.where}")
