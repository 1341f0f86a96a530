"""What the rules find in the resources of a plan of Terraform that they did not find in those that exist."""

import dataclasses
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resources.model import Action, RawResource
from pulumi_gke_tpu.core.resources.values import Values, without_reported
from pulumi_gke_tpu.core.text.findings import Finding, Severity


def new_findings(resources: Iterable[RawResource], catalog: Catalog) -> Iterator[Finding]:
    """The findings that are new with the plan, and every error of a resource that the plan creates or changes."""
    after = tuple(resources)
    before = [_existing(raw, catalog) for raw in after if raw.before is not None]
    known = {_identity(finding) for finding in check_resources(before, catalog)}
    changed = {raw.origin.address for raw in after if raw.action is not None and raw.action.kinds != ("no-op",)}
    for finding in check_resources(after, catalog):
        is_error = finding.severity is Severity.ERROR and finding.path[0] in changed
        if is_error or _identity(finding) not in known:
            yield finding


def _existing(raw: RawResource, catalog: Catalog) -> RawResource:
    """The resource as it is before the plan."""
    assert raw.before is not None
    values = raw.before
    if raw.type == NODE_POOL and isinstance(values.data, dict):
        values = Values(without_reported(values.data, values.data, catalog.provider))
    return dataclasses.replace(raw, values=values, action=Action(("no-op",)))


def _identity(finding: Finding) -> tuple[object, ...]:
    """The identity of a finding, which does not depend on its line."""
    return finding.rule, finding.path, finding.message
