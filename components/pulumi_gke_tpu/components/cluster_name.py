"""How node pools name their cluster: by its bare name, as the provider itself does for a pool that it imports.

The provider never changes ``cluster`` after creation or import, and replaces a pool whose value differs in spelling: an
imported pool would be replaced if the components sent the cluster's id.
"""

from collections.abc import Awaitable

import pulumi

from pulumi_gke_tpu.components.refusal import wrong_arguments
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.rules.engine.run import findings_of
from pulumi_gke_tpu.core.rules.existing.clusters import SlicesArguments
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.core.text.formats.names import bare_name


def cluster_findings(cluster: object, location: str, project: str, catalog: Catalog) -> list[Finding]:
    """Findings where ``cluster`` of ``TpuSlices`` contradicts its other arguments; none where it is not known yet."""
    if isinstance(cluster, pulumi.Output | Awaitable):
        return []
    arguments = SlicesArguments(cluster, location, project)
    return list(findings_of(rules_of(Scope.COMPONENT), arguments, catalog, None))


def checked_name(
    component: str, cluster: pulumi.Input[str], location: str, project: str, catalog: Catalog
) -> pulumi.Input[str]:
    """The name in a reference to a cluster; one that is known later is checked then.

    The result depends on the cluster, and is unknown as long as its id is: a replaced cluster replaces its pools.
    ``component`` is the name of the ``TpuSlices``.
    """

    def check(reference: str) -> str:
        findings = cluster_findings(reference, location, project, catalog)
        if findings:
            raise wrong_arguments("TpuSlices", component, findings)
        return bare_name(reference)

    if isinstance(cluster, str):
        return bare_name(cluster)
    known_later: pulumi.Output[str] = pulumi.Output.from_input(cluster)
    return known_later.apply(check)
