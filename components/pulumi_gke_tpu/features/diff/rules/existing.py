"""TPU966 and TPU967: a cluster of the plan becomes an existing one, and the reverse."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import quoted
from pulumi_gke_tpu.features.diff.rules.transition import Transition

_CREATED = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""
_EXISTING = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    existing: projects/acme-ml/locations/us-east5/clusters/train
    node_service_account: nodes@acme-ml.iam.gserviceaccount.com
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""
_RENAMED = _CREATED.replace("    slices:", "    name: train-2\n    slices:")
_ACKNOWLEDGED = "acknowledge: [{change: delete, of: train, reason: the state retains it, until: 2026-12-01}]\n"


@rule(
    "TPU966",
    "own-cluster-becomes-existing",
    about=("acknowledge[].change", "clusters.*.existing", "clusters.*.location", "clusters.*.node_service_account"),
    title="Change deletes the cluster that `existing` refers to",
    why="the plan no longer creates the cluster, so Pulumi deletes it, with all its node pools and the data stored in "
    "it. A preview of Pulumi shows the node pools of the slices as unchanged",
    fix="Keep the cluster in two updates. First, give `TpuFleet` the option `retain_on_delete=True` and run "
    "`pulumi up`. Then set `existing`, remove the option, and acknowledge the change (`change: delete`).",
    references=["OBSERVED_2026_11_20"],
    basis="observed",
    today="2026-11-20",
    failing=f"{_CREATED}--- plan{_EXISTING}",
    passing=f"{_CREATED}--- plan{_EXISTING}{_ACKNOWLEDGED}",
)
def own_cluster_becomes_existing(transition: Transition) -> Iterable[Hit]:
    for pair in transition.pairs:
        base, head = pair.base, pair.head
        if base is None or head is None or pair.handed_over != "given":
            continue
        if "delete" in transition.acknowledged(transition.head, head.key):
            continue
        hosts = Range.ZERO
        for group in base.groups:
            hosts = hosts.plus(group.hosts)
        lost = f" with its node pools ({hosts.counted('TPU host')})" if hosts.maximum else ""
        yield Hit(
            (*head.path, "existing"),
            f"this change deletes the existing cluster {quoted(head.name)}{lost}, because the plan created the cluster",
        )


@rule(
    "TPU967",
    "existing-cluster-becomes-own",
    about=("clusters.*.existing", "clusters.*.location", "clusters.*.name", "clusters.*.node_service_account"),
    title="Change creates a cluster that exists already",
    why="Pulumi does not manage the existing cluster, so `pulumi up` creates a cluster with the same name, and GKE "
    "rejects the cluster",
    fix="Keep `existing`, or set another `name`: gke-tpu then creates a second cluster and replaces the node pools.",
    references=["OBSERVED_2026_11_20"],
    basis="observed",
    failing=f"{_EXISTING}--- plan{_CREATED}",
    passing=f"{_EXISTING}--- plan{_RENAMED}",
)
def existing_cluster_becomes_own(transition: Transition) -> Iterable[Hit]:
    for pair in transition.pairs:
        if pair.head is not None and pair.handed_over == "taken":
            yield Hit(
                pair.head.path,
                f"`pulumi up` will fail at the creation of cluster {quoted(pair.head.name)}: it exists already",
            )
