"""Edits of node pools without TPUs, each with its expected effect."""

from support.editing import DELETE_FIRST, EAST, WEST, Change, Edit, Plan, inside, pools, renamed

_HEAD = {"machine_type": "n2-standard-64", "nodes": 1, "zones": ["us-east5-b"]}
_TAINTS = [{"key": "dedicated", "value": "head", "effect": "NO_SCHEDULE"}]
HEAD = "train-east/cpu_pools/head"


def _head(**values: object) -> Change:
    return inside("cpu_pools", "head", **values)


def _loaders(**values: object) -> Change:
    return inside("cpu_pools", "loaders", **values)


def _rename(plan: Plan) -> None:
    written = plan["clusters"][EAST]["cpu_pools"]
    written["main"] = written.pop("head")


CPU_POOLS = (
    Edit("CPU pool added", "full", inside("cpu_pools", head=_HEAD), {EAST: "create"}, pools("create", HEAD)),
    Edit("CPU pool removed", "cpu pools", inside("cpu_pools", head=None), {EAST: "delete"}, pools("delete", HEAD)),
    Edit(
        "CPU pool under another key",
        "cpu pools",
        _rename,
        {EAST: "delete"},
        pools("delete", HEAD) | pools("create", "train-east/cpu_pools/main"),
    ),
    Edit("machine of a CPU pool", "cpu pools", _head(machine_type="n2-standard-80"), {EAST: "restart"}),
    Edit("more nodes", "cpu pools", _head(nodes=2), {EAST: "in-place"}),
    Edit("fewer nodes", "cpu pools", _head(nodes=0), {EAST: "restart"}),
    Edit("higher limit of a CPU pool", "cpu pools", _loaders(max_nodes=20), {EAST: "in-place"}),
    Edit("lower limit of a CPU pool", "cpu pools", _loaders(max_nodes=5), {EAST: "in-place"}),
    Edit("higher minimum of a CPU pool", "cpu pools", _loaders(min_nodes=2), {EAST: "in-place"}),
    Edit("CPU pool autoscaled", "cpu pools", _head(nodes=None, max_nodes=3), {EAST: "in-place"}),
    Edit(
        "CPU pool no longer autoscaled",
        "cpu pools",
        _loaders(min_nodes=None, max_nodes=None, nodes=6),
        {EAST: "restart"},
    ),
    Edit("zones of a CPU pool", "cpu pools", _head(zones=["us-east5-a"]), {EAST: "restart"}),
    Edit("Spot VMs of a CPU pool", "cpu pools", _head(spot=True), {EAST: "replace"}, pools(DELETE_FIRST, HEAD)),
    Edit("disk of a CPU pool", "cpu pools", _head(boot_disk={"size_gib": 200}), {EAST: "restart"}),
    Edit("label of a CPU pool", "cpu pools", _head(node_labels={"role": "main"}), {EAST: "in-place"}),
    Edit("no label of a CPU pool any more", "cpu pools", _head(node_labels=None), {EAST: "no-op"}),
    Edit("Google Cloud label of a CPU pool", "cpu pools", _head(resource_labels={"cost": "x"}), {EAST: "metadata"}),
    Edit("taint of a CPU pool", "cpu pools", _head(taints=_TAINTS), {EAST: "in-place"}),
    Edit(
        "account of a CPU pool",
        "cpu pools",
        _head(node_service_account="create"),
        {EAST: "replace"},
        {**pools(DELETE_FIRST, HEAD), f"Account {HEAD}": "create"},
    ),
    Edit("timeouts of a CPU pool", "cpu pools", _head(timeouts={"create": "3h"}), {EAST: "metadata"}),
    Edit("extra of a CPU pool", "cpu pools", _head(extra={"node_config": {"tags": ["head"]}}), {EAST: "in-place"}),
    Edit("cluster with CPU pools moved", "cpu pools", renamed(EAST, WEST, moved=True)),
)
