"""Translates files of another tool: the plan, its table, and what the rules find in it."""

from collections.abc import Sequence

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.adopt.command_lines import gcloud_fleet, gcluster, xpk
from pulumi_gke_tpu.features.adopt.command_lines.table import Translation


@frozen(eq=False)
class CheckedTranslation:
    """A translation, and the findings about its plan."""

    translation: Translation
    findings: tuple[Finding, ...]

    @property
    def has_errors(self) -> bool:
        """Whether the plan has errors, which a person has to correct."""
        return any(item.severity is Severity.ERROR for item in self.findings)


def translated(
    tool: str, files: Sequence[tuple[str, str]], catalog: Catalog, *, project: str = "", zone: str = ""
) -> CheckedTranslation:
    """The plan of these files (name and text), checked like any other plan. ``tool`` is gcloud, xpk or gcluster."""
    translation = _TOOLS[tool](files, catalog, project, zone)
    if translation.problems:
        return CheckedTranslation(translation, ())
    return CheckedTranslation(translation, tuple(check_plan(parse_plan(translation.plan), catalog).findings))


_TOOLS = {"gcloud": gcloud_fleet.plan_of, "gcluster": gcluster.plan_of, "xpk": xpk.plan_of}
