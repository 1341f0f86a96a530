"""Edits of networks for additional interfaces of hosts."""

from support.editing import (
    DELETE_FIRST,
    EAST,
    PAIR,
    SWEEP,
    WEST,
    Edit,
    Plan,
    both,
    cluster,
    group,
    inside,
    pools,
    renamed,
)

_DATA = "train-east/additional_networks/data"
_STORAGE = "train-east/additional_networks/storage"
_PAIR_POOLS = ("train-east/pair/pair-0", "train-east/pair/pair-1")


def _made(op: str, name: str) -> dict[str, str]:
    return {f"{kind} {name}": op for kind in ("Network", "Subnetwork", "Firewall")}


def _rename(plan: Plan) -> None:
    written = plan["clusters"][EAST]
    written["additional_networks"]["storage"] = written["additional_networks"].pop("data")
    written["slices"]["pair"]["additional_networks"] = [{"name": "storage"}]


def _without_interface(plan: Plan) -> None:
    written = plan["clusters"][EAST]
    del written["additional_networks"], written["slices"]["pair"]["additional_networks"]
    written["slices"]["plain"] = written["slices"].pop("pair")


INTERFACES = (
    Edit(
        "first network for interfaces",
        "full",
        inside("additional_networks", data={"subnet": "10.64.0.0/20"}),
        {EAST: "in-place"},
        _made("create", _DATA) | {"Cluster train-east": "update"},
    ),
    Edit(
        "network for interfaces added",
        "networks",
        inside("additional_networks", storage={"subnet": "10.65.0.0/20"}),
        {EAST: "create"},
        _made("create", _STORAGE) | {"Cluster train-east": "same"},
    ),
    Edit(
        "network for interfaces removed",
        "networks",
        both(cluster(additional_networks=None), group(PAIR, additional_networks=None)),
        {EAST: "delete", PAIR: "replace"},
        _made("delete", _DATA) | pools(DELETE_FIRST, *_PAIR_POOLS),
    ),
    Edit(
        "interfaces of a group removed",
        "networks",
        group(PAIR, additional_networks=None),
        {PAIR: "replace"},
        pools(DELETE_FIRST, *_PAIR_POOLS),
    ),
    Edit(
        "second interface of a group",
        "networks",
        group(SWEEP, additional_networks=[{"name": "data"}]),
        {SWEEP: "replace"},
    ),
    Edit(
        "network for interfaces under another key",
        "networks",
        _rename,
        {EAST: "delete", PAIR: "replace"},
        _made("delete", _DATA) | _made("create", _STORAGE) | pools(DELETE_FIRST, *_PAIR_POOLS),
    ),
    Edit("MTU of an interface", "networks", inside("additional_networks", "data", mtu=1460), {EAST: "in-place"}),
    Edit(
        "larger subnetwork of an interface",
        "networks",
        inside("additional_networks", "data", subnet="10.64.0.0/19"),
        {EAST: "in-place"},
        {f"Subnetwork {_DATA}": "update", f"Firewall {_DATA}": "update", f"Network {_DATA}": "same"},
    ),
    Edit(
        "smaller subnetwork of an interface",
        "networks",
        inside("additional_networks", "data", subnet="10.64.0.0/21"),
        {EAST: "replace"},
        {f"Subnetwork {_DATA}": DELETE_FIRST, f"Firewall {_DATA}": "update"} | pools("same", *_PAIR_POOLS),
        "provider",
    ),
    Edit(
        "group without its interface under another key",
        "networks",
        _without_interface,
        {EAST: "delete", PAIR: "delete", "train-east/plain": "create"},
        _made("delete", _DATA) | pools("delete", *_PAIR_POOLS),
    ),
    Edit("cluster with networks for interfaces moved", "networks", renamed(EAST, WEST, moved=True)),
)
"""Networks that are created for additional interfaces."""
