"""Names, lists, counts and amounts for sentences about a change, with singular and plural."""

from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.graph.resource_types import (
    ACCOUNT,
    ACCOUNT_MEMBER,
    BUCKET_MEMBER,
    CLUSTER,
    FIREWALL,
    IAM_MEMBER,
    NETWORK,
    NODE_POOL,
    RESOURCE_POLICY,
    ROUTER,
    ROUTER_NAT,
    SUBNETWORK,
)
from pulumi_gke_tpu.core.text.findings import number, printable, quoted

_LONGEST_NAME = 80
MOST_NAMES = 3
"""The maximum number of names that a sentence lists."""

RESOURCE_WORDS = {
    CLUSTER: ("cluster", "clusters"),
    NODE_POOL: ("node pool", "node pools"),
    RESOURCE_POLICY: ("workload policy", "workload policies"),
    NETWORK: ("network", "networks"),
    SUBNETWORK: ("subnetwork", "subnetworks"),
    FIREWALL: ("firewall rule", "firewall rules"),
    ROUTER: ("router", "routers"),
    ROUTER_NAT: ("Cloud NAT", "Cloud NATs"),
    ACCOUNT: ("service account", "service accounts"),
    IAM_MEMBER: ("IAM grant", "IAM grants"),
    ACCOUNT_MEMBER: ("Workload Identity grant", "Workload Identity grants"),
    BUCKET_MEMBER: ("bucket grant", "bucket grants"),
}
"""The names of the resource types in text, singular and plural."""


def be(count: int) -> str:
    """``is`` for one, otherwise ``are``."""
    return "is" if count == 1 else "are"


def them(count: int) -> str:
    """``it`` for one, otherwise ``them``."""
    return "it" if count == 1 else "them"


def counted(count: int, one: str, many: str = "") -> str:
    """``1 host``, ``64 hosts``, ``no hosts``."""
    return number(count, one, many) if count else f"no {many or f'{one}s'}"


def amount(number: Range, one: str) -> str:
    """``64 hosts``, ``up to 64 hosts``, ``2 to 8 hosts``."""
    if number.minimum == number.maximum:
        return counted(number.maximum, one)
    if not number.minimum:
        return f"up to {counted(number.maximum, one)}"
    return f"{number.minimum:,} to {counted(number.maximum, one)}"


def bare_amount(number: Range) -> str:
    """``64``, ``up to 64``, ``2 to 8``: an amount without its unit."""
    if number.minimum == number.maximum:
        return f"{number.maximum:,}"
    return f"up to {number.maximum:,}" if not number.minimum else f"{number.minimum:,} to {number.maximum:,}"


def resource_word(type_token: str) -> str:
    """The name of a resource type in text; the type itself if it has no name."""
    return RESOURCE_WORDS.get(type_token, (printable(type_token, _LONGEST_NAME), ""))[0]


def urn_words(urn: str) -> str:
    """The type and name of a resource: network `train-east`. A name can contain any character, also colons."""
    match urn.split("::", 3):
        case [_, _, types, name]:
            return f"{resource_word(types.rpartition('$')[2])} {quoted(name)}"
        case _:
            return quoted(urn)


def urn_name(urn: str) -> str:
    """The name at the end of a URN."""
    return urn.split("::", 3)[-1]


def sentence(text: str) -> str:
    """The text with a capital letter and a period. Text that begins with a name keeps its first letter."""
    return f"{text[:1].upper()}{text[1:]}." if text else ""
