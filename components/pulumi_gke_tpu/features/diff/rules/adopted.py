"""TPU977: clusters and node pools that stay in the plan without the key ``adopted``."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.pairs import GroupPair
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, Severity, listed, quoted
from pulumi_gke_tpu.features.diff.rules.transition import Transition

_ADOPTED = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    existing: projects/acme-ml/locations/us-east5/clusters/train
    node_service_account: nodes@acme-ml.iam.gserviceaccount.com
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, adopted: true}
"""
_WITHOUT_THE_KEY = _ADOPTED.replace(", adopted: true", "")
_WITH_ONE_SCOPE = _ADOPTED.replace("adopted: true", "adopted: {oauth_scopes: [cloud-platform]}")


@rule(
    "TPU977",
    "no-longer-adopted",
    about=("clusters.*.adopted", "clusters.*.cpu_pools.*.adopted", "clusters.*.slices.*.adopted"),
    title="Change removes `adopted`",
    why="with `adopted`, Pulumi leaves properties as another tool set them. Without the key, Pulumi sets each property "
    "to the value of gke-tpu, and replaces a node pool if gVNIC or secure boot differs. Neither plan has the values "
    "that exist, so `gke-tpu diff` cannot show these changes",
    fix="Keep `adopted`. If Pulumi is to set these properties, run `pulumi preview --diff` with the new plan, which "
    "shows every change.",
    references=["OBSERVED_2026_11_20"],
    severity=Severity.WARNING,
    failing=f"{_ADOPTED}--- plan{_WITHOUT_THE_KEY}",
    passing=f"{_ADOPTED}--- plan{_WITH_ONE_SCOPE}",
)
def no_longer_adopted(transition: Transition) -> Iterable[Hit]:
    """Skip node pools that get other names: the change deletes them."""
    for pair in transition.pairs:
        if pair.base is None or pair.head is None:
            continue
        if pair.base.adopted and not (pair.head.adopted or pair.head.existing):
            yield Hit(
                pair.head.path,
                f"Pulumi no longer leaves properties of cluster {quoted(pair.head.name)} as they are, and may replace "
                "the cluster with its node pools",
            )
        for path, names in (*_groups(pair.groups), *_cpu_pools(pair.base, pair.head)):
            noun, quotes = "node pool" if len(names) == 1 else "node pools", [quoted(name) for name in names]
            pools = f"{noun} {listed(quotes, most=3)}"
            yield Hit(path, f"Pulumi no longer leaves properties of {pools} as they are, and may replace the nodes")


def _groups(pairs: Iterable[GroupPair]) -> Iterator[tuple[Path, list[str]]]:
    """The slice groups without the key, each with the names of the node pools that it had before."""
    for pair in pairs:
        if (
            pair.base is None
            or pair.head is None
            or pair.base.plan.adopted is None
            or pair.head.plan.adopted is not None
        ):
            continue
        before = {pool.name for pool in pair.base.pools}
        kept = [pool.name for pool in pair.head.pools if pool.name in before]
        if kept:
            yield pair.head.path, kept


def _cpu_pools(base: Cluster, head: Cluster) -> Iterator[tuple[Path, list[str]]]:
    """The same of the node pools without TPUs."""
    before = {pool.key: pool for pool in base.cpu_pools}
    for pool in head.cpu_pools:
        past = next((before[key] for key in (pool.key, *pool.former_keys) if key in before), None)
        if past is not None and past.plan.adopted is not None and pool.plan.adopted is None and past.name == pool.name:
            yield pool.path, [pool.name]
