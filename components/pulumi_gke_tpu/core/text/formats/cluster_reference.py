"""How GKE names clusters: by id, self link or bare name."""

import re

from pulumi_gke_tpu.core.frozen import frozen

_ID = re.compile(
    r"(?:(?:https://|//)[a-z0-9.-]+/(?:v1(?:beta1)?/)?)?projects/([^/\s]+)/(?:locations|zones|regions)/([^/\s]+)/clusters/([^/\s]+)\Z"
)
_NAME = re.compile(r"[^/\s]+\Z")


@frozen
class ClusterReference:
    """A parsed reference to a cluster. ``project`` and ``location`` are empty for a bare name."""

    name: str
    location: str = ""
    project: str = ""


def parse_cluster(text: str) -> ClusterReference | None:
    """The parts of a cluster's ID, self link or name; None if the text is none of them."""
    match = _ID.match(text)
    if match:
        return ClusterReference(match[3], match[2], match[1])
    return ClusterReference(text) if _NAME.match(text) else None


def bare_name(reference: str) -> str:
    """The name in a cluster's id or self link.

    Node pools are sent it, as the provider itself does for a pool that it imports. The provider never changes
    ``cluster`` after creation or import, and replaces a pool whose value differs in spelling.
    """
    found = parse_cluster(reference)
    return found.name if found else reference
