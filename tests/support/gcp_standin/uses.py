"""Which resources prevent that Google Cloud deletes another one."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from support.gcp_standin.knowledge import CLUSTER, FIREWALL, NAT, NETWORK, POLICY, POOL, ROUTER, SUBNETWORK
from support.gcp_standin.record import Record

State = Mapping[str, Any]


def user_of(record: Record, others: Iterable[Record]) -> str | None:
    """The ID of a resource that uses ``record``; None if nothing does."""
    return next((other.id for other in others if any(_is_of(used, record) for used in _uses(other, record))), None)


def policy_of(pool: Record) -> str | None:
    """The workload policy that a node pool is bound to."""
    return next(iter(_placed(pool.state)), None)


def _is_of(used: str, record: Record) -> bool:
    """Whether a reference, which is a name, an ID or a link, is to a resource."""
    return used == record.state["name"] if "/" not in used else f"/{used}".endswith(f"/{record.id}")


def _uses(user: Record, used: Record) -> Iterator[str]:
    find = _USES.get((user.kind.token, used.kind.token))
    yield from find(user.state) if find else ()


def _interfaces(key: str) -> Callable[[State], Iterable[str]]:
    """The references in the additional interfaces of the hosts of a node pool."""

    def find(state: State) -> Iterable[str]:
        config = state.get("networkConfig") or {}
        return [str(item[key]) for item in config.get("additionalNodeNetworkConfigs") or ()]

    return find


def _at(key: str) -> Callable[[State], Iterable[str]]:
    return lambda state: [str(state[key])] if state.get(key) else []


def _placed(state: State) -> Iterable[str]:
    name = (state.get("placementPolicy") or {}).get("policyName")
    return [str(name)] if name else []


_USES: Mapping[tuple[str, str], Callable[[State], Iterable[str]]] = {
    (POOL, POLICY): _placed,
    (POOL, NETWORK): _interfaces("network"),
    (POOL, SUBNETWORK): _interfaces("subnetwork"),
    (CLUSTER, SUBNETWORK): _at("subnetwork"),
    (SUBNETWORK, NETWORK): _at("network"),
    (FIREWALL, NETWORK): _at("network"),
    (ROUTER, NETWORK): _at("network"),
    (NAT, SUBNETWORK): lambda state: [str(item["name"]) for item in state.get("subnetworks") or ()],
}
"""Type of the user and of what it uses -> the references. A NAT is a part of its router, and is deleted with it."""
