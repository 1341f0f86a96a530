"""The operators that a plan can install: their releases, and the configuration of Kueue."""

from dataclasses import field

from typing_extensions import Self

from pulumi_gke_tpu.core.catalog.records.facts import Count, Fact, Record
from pulumi_gke_tpu.core.text.formats.versions import parse_release


class Chart(Record):
    """The Helm chart of an operator. Keys of values are paths, such as ``crds.enabled``."""

    repository: str
    name: str
    version_prefix: str = ""
    """What the versions of the chart begin with, in addition to the number of the release."""
    namespace: str = ""
    """The namespace of the Helm release, if the chart creates that of the operator itself."""
    configuration: str = ""
    """The value that contains the configuration of the operator as text."""
    tolerations: tuple[str, ...] = ()
    """The values that contain the tolerations of Pods; none if the chart has none."""
    values: dict[str, str | bool] = field(default_factory=dict)
    """The values that every cluster of GKE needs."""


class Operator(Fact):
    """How to install an operator.

    ``version`` is the release that gke-tpu installs if the plan names none. ``manifest`` is the file of a release with
    all its objects, where the project publishes one; ``{version}`` stands for the release. ``deployments`` run when the
    operator is ready. ``cpu`` is what its Pods request; empty where the project states nothing.
    """

    title: str
    version: str
    part_of: str = ""
    """The operator that does not work without it, whose key in a plan installs both."""
    controller: str = ""
    """Its key in ``controllers``, which states the releases whose objects gke-tpu knows."""
    namespace: str
    manifest: str = ""
    deployments: tuple[str, ...]
    chart: Chart
    cpu: str = ""


class KueueConfiguration(Fact):
    """The configuration of Kueue's manager, and what gke-tpu writes into it."""

    config_map: str
    key: str
    api_version: str
    leader_election: str
    concurrency: dict[str, Count]
    """Kind -> how many objects Kueue handles at a time."""
    queries_per_second: Count
    query_burst: Count
    frameworks: tuple[str, ...]
    """The kinds of workloads of a plan, in the words of Kueue."""
    other_frameworks: tuple[str, ...]
    """Kinds that Kueue can queue and a plan cannot name."""


class PodsReady(Fact):
    """When Kueue evicts a workload whose Pods are not ready, if nothing is set."""

    timeout_minutes: Count
    backoff_seconds: Count
    longest_backoff_seconds: Count


class Operators(Record):
    """The operators that a plan can install, in the order of installation."""

    installations: dict[str, Operator]
    kueue_configuration: KueueConfiguration
    pods_ready: PodsReady


class SliceReleases(Fact):
    """The lowest release of each operator for workloads on cubes, and for those on parts of a cube."""

    cubes: dict[str, str]
    parts: dict[str, str]

    def above(self, operator: str, release: tuple[int, ...], *, parts: bool) -> tuple[str, Self] | None:
        """The lowest release of an operator, and the fact that excludes this one; None if none does."""
        items = {"cubes": self.cubes, **({"parts": self.parts} if parts else {})}
        lowest = {item: parse_release(releases[operator]) for item, releases in items.items() if operator in releases}
        item = next((item for item, least in lowest.items() if release and release < least), None)
        return None if item is None else (".".join(map(str, max(lowest.values()))), self.for_item(item))
