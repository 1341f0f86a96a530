"""Makes plans of any size."""

_PLAN = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    network: {network: shared, subnetwork: shared-us-east5, pods_range: pods, services_range: services}
    slices:
"""
_MULTI_HOST = "      group-{number}: {{tpu: v6e, topology: 4x4, count: {count}, zone: us-east5-b}}\n"
_SINGLE_HOST = "      group-{number}: {{tpu: v6e, topology: 2x2, count: {{min: 0, max: {count}}}, zone: us-east5-b}}\n"

_WORKLOAD = "        run-{number}: {{slices: group-0, kind: jobset, image: train, command: [python3, train.py]}}\n"


def multi_host(groups: int, slices: int) -> str:
    """A plan with that many groups of that many slices of several hosts: each slice is a node pool."""
    return _PLAN + "".join(_MULTI_HOST.format(number=number, count=slices) for number in range(groups))


def single_host(groups: int) -> str:
    """A plan with that many groups of single hosts: each group is a node pool."""
    return _PLAN + "".join(_SINGLE_HOST.format(number=number, count=4) for number in range(groups))


def with_workloads(workloads: int) -> str:
    """A plan with one slice group and that many JobSets on it."""
    lines = "".join(_WORKLOAD.format(number=number) for number in range(workloads))
    return f"{multi_host(1, 4)}    kubernetes:\n      workloads:\n{lines}"
