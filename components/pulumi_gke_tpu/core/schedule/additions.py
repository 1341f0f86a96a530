"""The exclusions that cover all runs of a cluster together, as one change of its plan."""

import dataclasses
import datetime
from collections.abc import Mapping

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.settings import cluster_settings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.upgrades import Exclusion
from pulumi_gke_tpu.core.schedule.coverage import Proposal, coverage_of, timed_runs, written
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, Verbatim
from pulumi_gke_tpu.core.text.findings.emit import flow


@frozen
class Addition:
    """The exclusions to add to a cluster."""

    path: Path
    """The key of the plan that is replaced, or the mapping to add it to."""
    replaces: bool
    """Whether the plan has the key already. The value then repeats its content."""
    key: str
    value: Mapping[str, object]
    proposals: Mapping[str, Proposal]
    """The exclusions by run. Each keeps the limits of GKE beside the others."""
    left: tuple[str, ...]
    """The runs without an exclusion, because the cluster has the maximum number with those before."""

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs with an exclusion in the text."""
        return tuple(self.proposals)

    @property
    def fix(self) -> Fix:
        """The key with its value; long or invisible names in the plan are escaped, so that none is lost."""
        entries = (f"  {flow(name)}: {flow(item)}" for name, item in self.value.items())
        return SetKeys.of({self.key: self.value}) or Verbatim("\n".join((f"{self.key}:", *entries)), "entry")

    @property
    def text(self) -> str:
        """The same as YAML."""
        return self.fix.text


def addition_to(cluster: Cluster, catalog: Catalog, today: datetime.date | None) -> Addition | None:
    """The exclusions for all runs of a cluster that upgrades can interrupt; None if none can be added.

    Runs that ended before today have none. Each exclusion considers those of the runs that start earlier.
    """
    proposals: dict[str, Proposal] = {}
    left: list[str] = []
    changed = cluster
    planned = sorted(timed_runs(cluster, today), key=lambda item: (item[3].start, item[3].end, item[0]))
    for name, _, group, span in planned:
        coverage = coverage_of(name, span, changed, group, catalog)
        if coverage.proposal is not None:
            proposals[name] = coverage.proposal
            changed = _with(changed, coverage.proposal)
        elif coverage.state == "impossible":
            left.append(name)
    if not proposals:
        return None
    path, replaces, key, value = _change(cluster, list(proposals.values()))
    return Addition(path, replaces, key, value, proposals, tuple(left))


def _with(cluster: Cluster, proposal: Proposal) -> Cluster:
    """The cluster with a proposed exclusion."""
    present = cluster_settings(cluster).maintenance
    exclusion = Exclusion(start=proposal.span.start, end=proposal.span.end, scope=proposal.scope)
    content = {
        "window": proposal.window or present.window,
        "exclusions": {**present.exclusions, proposal.name: exclusion},
    }
    plan = cluster.plan.model_copy(update={"maintenance": present.model_copy(update=content)})
    return dataclasses.replace(cluster, plan=plan)


def _change(cluster: Cluster, proposals: list[Proposal]) -> tuple[Path, bool, str, Mapping[str, object]]:
    """The place in the plan, whether it is a key to replace, the key and its value."""
    present, first = cluster_settings(cluster).maintenance, proposals[0].maintenance
    kept = {name: _data(item) for name, item in present.exclusions.items()}
    exclusions = kept | {each.name: each.exclusion for each in proposals}
    path, key, value = cluster.path, "maintenance", first | {"exclusions": exclusions}
    written_keys = cluster.plan.model_fields_set
    if "window" not in first:
        path, key, value = (*path, key), "exclusions", exclusions
        written_keys = present.model_fields_set
    replaces = key in written_keys
    return (*path, key) if replaces else path, replaces, key, value


def _data(exclusion: Exclusion) -> dict[str, object]:
    """An exclusion as a plan contains it."""
    end = written(exclusion.end) if exclusion.end else "end_of_support"
    return {"start": written(exclusion.start), "end": end, "scope": exclusion.scope}
