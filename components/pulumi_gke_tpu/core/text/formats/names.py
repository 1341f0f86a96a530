"""The forms of names in GKE, Google Cloud and Kubernetes."""

import fnmatch
import functools
import ipaddress
import re
import string
from collections.abc import Iterable

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

Range = ipaddress.IPv4Network


def address_range(text: str) -> Range | None:
    """The range that a text describes; None if it is malformed, or not in its canonical form."""
    try:
        network = ipaddress.IPv4Network(text)
    except ValueError:
        return None
    return network if str(network) == text else None


_ID = lazy_pattern(
    r"(?:(?:https://|//)[a-z0-9.-]+/(?:v1(?:beta1)?/)?)?projects/([^/\s]+)/(?:locations|zones|regions)/([^/\s]+)/clusters/([^/\s]+)\Z"
)
_PART = lazy_pattern(r"[^/\s]+\Z")


@frozen
class ClusterReference:
    """A parsed reference to a cluster. ``project`` and ``location`` are empty for a bare name."""

    name: str
    location: str = ""
    project: str = ""


@functools.lru_cache(maxsize=1_000)
def parse_cluster(text: str) -> ClusterReference | None:
    """The parts of a cluster's ID, self link or name; None if the text is none of them."""
    match = _ID.match(text)
    if match:
        return ClusterReference(match[3], match[2], match[1])
    return ClusterReference(text) if _PART.match(text) else None


def bare_name(reference: str) -> str:
    """The name in a cluster's id or self link.

    Node pools are sent it, as the provider itself does for a pool that it imports. The provider never changes
    ``cluster`` after creation or import, and replaces a pool whose value differs in spelling.
    """
    found = parse_cluster(reference)
    return found.name if found else reference


_RESERVATION = lazy_pattern(
    r"(?:https://[a-z0-9.-]+/compute/[a-z0-9]+/)?(?:projects/(?P<project>[^/\s,]+)/)?(?:zones/(?P<zone>[^/\s,]+)/)?"
    r"(?:reservations/)?(?P<name>[^/\s,]+)(?:/reservationBlocks/(?P<block>[^/\s,]+))?"
    r"(?:/reservationSubBlocks/(?P<sub_block>[^/\s,]+))?\Z"
)


@frozen
class ReservationReference:
    """A parsed reference to a reservation, or to a part of one. What it does not name is empty."""

    name: str
    project: str = ""
    block: str = ""
    sub_block: str = ""
    zone: str = ""

    @property
    def keys(self) -> dict[str, str]:
        """The parts that a plan has, by the key of each: all that are named but the zone."""
        parts = {"name": self.name, "project": self.project, "block": self.block, "sub_block": self.sub_block}
        return {key: part for key, part in parts.items() if part}

    @property
    def short(self) -> str | dict[str, str]:
        """The shortest way to write it in a plan: its name, if it has no other part."""
        return self.keys if len(self.keys) > 1 else self.name


def parse_reservation(text: str) -> ReservationReference | None:
    """The parts of a reservation's name, path or self link; None if the text is none of them."""
    match = _RESERVATION.match(text)
    return ReservationReference(**match.groupdict("")) if match else None


_COMPUTE = r"(?:https://[a-z0-9.-]+/compute/[a-z0-9]+/)?(?:projects/([^/\s]+)/)?"
_SUBNETWORK = lazy_pattern(rf"{_COMPUTE}regions/([^/\s]+)/subnetworks/([^/\s]+)\Z")
_NETWORK = lazy_pattern(rf"{_COMPUTE}global/networks/([^/\s]+)\Z")


@frozen
class NetworkReference:
    """The parts of the name, ID or self link of a network or subnetwork; None for a part that it does not have."""

    name: str
    project: str | None = None
    region: str | None = None


def parse_subnetwork(text: str) -> NetworkReference | None:
    """The parts of a subnetwork's name, ID or self link; None if the text is none of them."""
    match = _SUBNETWORK.match(text)
    if match:
        return NetworkReference(match[3], match[1], match[2])
    return NetworkReference(text) if "/" not in text else None


def parse_network(text: str) -> NetworkReference | None:
    """The parts of a network's name, ID or self link; None if the text is none of them."""
    match = _NETWORK.match(text)
    if match:
        return NetworkReference(match[2], match[1])
    return NetworkReference(text) if "/" not in text else None


LONGEST_CLUSTER_NAME = 40
"""Maximum number of characters in the name of a cluster."""
_GKE_NAME = lazy_pattern(r"[a-z](?:[a-z0-9-]*[a-z0-9])?\Z", re.ASCII)


def is_gke_name(text: str) -> bool:
    """Whether GKE accepts this, apart from its length, as the name of a cluster or node pool."""
    return bool(_GKE_NAME.match(text))


def gke_name_form(text: str, first: str = "a letter") -> str:
    """What to change in a text that GKE does not accept as a name; ``first`` is what a name starts with."""
    if re.fullmatch(r"[a-z0-9-]+", text, re.ASCII):
        return f"start with {first}, and end with a letter or a digit"
    return "use lower-case letters, digits and hyphens"


def gke_name_like(text: str) -> str:
    """The nearest text that GKE accepts as a name; empty if nothing usable is left."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()[:200]).strip("-")
    return f"tpu-{words}" if words[:1].isdigit() else words


_REGION = lazy_pattern(r"[a-z]+-[a-z]+\d+\Z", re.ASCII)
_ZONE = lazy_pattern(r"([a-z]+-[a-z]+\d+)-(?:ai\d+)?[a-z]\Z", re.ASCII)
_AI_ZONE = lazy_pattern(r"[a-z]+-[a-z]+\d+-ai\d+[a-z]\Z", re.ASCII)


def is_region(location: str) -> bool:
    """Whether this is written like a region: us-east5."""
    return bool(_REGION.match(location))


def is_zone(location: str) -> bool:
    """Whether this is written like a zone: us-east5-b, or an AI zone such as us-south1-ai1b."""
    return bool(_ZONE.match(location))


def is_ai_zone(location: str) -> bool:
    """Whether this is written like an AI zone: us-south1-ai1b."""
    return bool(_AI_ZONE.match(location))


def is_location(location: str) -> bool:
    """Whether the text has the form of a region or a zone."""
    return is_region(location) or is_zone(location)


def region_of(location: str) -> str:
    """The region of a zone; a region, or text of another form, is returned unchanged."""
    match = _ZONE.match(location)
    return match[1] if match else location


_TOKEN = lazy_pattern(r"\*+|\[(?:!(?:\][^\]]*|[^\]]+)|(?!!)(?:\][^\]]*|[^\]]+))\]|.", re.DOTALL)
"""A part of a pattern, as fnmatch reads it: a bracket without its partner is a character."""


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a whole name matches one of the patterns. Upper and lower case differ."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


@frozen
class NameForm:
    """Names of a kind: the characters with which they can begin and end, all their characters, and their length."""

    first: frozenset[str]
    last: frozenset[str]
    every: frozenset[str]
    longest: int

    def can_match(self, pattern: str) -> bool:
        """Whether some name of this kind matches a pattern.

        The shortest name decides: it has one character for each part that is not a star, and one more where a star
        has to supply the character at the begin or the end.
        """
        parts = _TOKEN.findall(pattern)
        choices = [None if part.startswith("*") else frozenset(fnmatch.filter(self.every, part)) for part in parts]
        fixed = [choice for choice in choices if choice is not None]
        if not parts or not all(fixed):
            return False
        if not fixed:
            return True
        if choices == fixed and len(fixed) == 1:
            return bool(fixed[0] & self.first & self.last)
        begins, ends = bool(fixed[0] & self.first), bool(fixed[-1] & self.last)
        possible = (begins or choices[0] is None) and (ends or choices[-1] is None)
        return possible and len(fixed) + (not begins) + (not ends) <= self.longest


_LOWER = frozenset(string.ascii_lowercase)
_DIGITS = frozenset(string.digits)
_LETTERS = frozenset(string.ascii_letters)
CLUSTER_NAME = NameForm(_LOWER, _LOWER | _DIGITS, _LOWER | _DIGITS | {"-"}, LONGEST_CLUSTER_NAME)
"""A name of a cluster that GKE accepts."""
GROUP_NAME = NameForm(_LETTERS | _DIGITS, _LETTERS | _DIGITS, _LETTERS | _DIGITS | frozenset("._-"), 63)
"""The value of a node label: the name of a slice group on Autopilot. Names of node pools have this form too."""


GOOGLES_PREFIX = "goog-"
"""Google reserves keys with this prefix."""
_LONGEST = 63


def fits_resource_label(text: str) -> bool:
    """Whether Google Cloud accepts the characters: letters that are not upper case, digits, ``_`` and ``-``."""
    if len(text) > _LONGEST:
        return False
    return all(char in "_-" or (char.isalnum() and char.lower() == char) for char in text)


def is_resource_label_key(text: str) -> bool:
    """Whether Google Cloud accepts this as the key of a label of a user."""
    return bool(text) and text[0].isalpha() and fits_resource_label(text) and not text.startswith(GOOGLES_PREFIX)


_OF_GKE = lazy_pattern(r"(?:[\w.-]*\.)?(?:google\.com|gke\.io|k8s\.io|kubernetes\.io)/|goog-")


def is_set_by_gke(key: str) -> bool:
    """Whether the key of a label or taint is one of those that GKE sets itself."""
    return bool(_OF_GKE.match(key))


def service_account_email(account_id: str, project: str) -> str:
    """The email of an account. The project of a domain, ``example.com:train``, is ``train.example.com`` there."""
    domain, colon, name = project.rpartition(":")
    return (
        f"{account_id}@{name}.{domain}.iam.gserviceaccount.com"
        if colon
        else f"{account_id}@{name}.iam.gserviceaccount.com"
    )


_PREFIX = lazy_pattern(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\Z", re.ASCII)
_LABEL_NAME = lazy_pattern(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?\Z", re.ASCII)
_LONGEST_PREFIX = 253


def is_label_key(text: str) -> bool:
    """Whether Kubernetes accepts this as the key of a label or taint."""
    prefix, slash, name = text.rpartition("/")
    if slash and (len(prefix) > _LONGEST_PREFIX or not _PREFIX.match(prefix)):
        return False
    return bool(_LABEL_NAME.match(name))


def is_label_value(text: str) -> bool:
    """Whether Kubernetes accepts this as the value of a label or taint."""
    return not text or bool(_LABEL_NAME.match(text))


def taint_effect(effect: str) -> str:
    """The effect of a taint as Kubernetes spells it: ``NoSchedule`` for ``NO_SCHEDULE`` of GKE's API."""
    return "".join(word.capitalize() for word in effect.split("_"))
