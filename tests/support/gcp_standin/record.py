"""One resource of the stand-in, as its API keeps it."""

import copy
import dataclasses
from dataclasses import dataclass, field
from typing import Any

from support.gcp_standin.knowledge import Kind


@dataclass
class Record:
    """One resource. ``state`` is the result of a read; ``status`` is that of GKE, which the provider ignores."""

    kind: Kind
    id: str
    state: dict[str, Any]
    status: str = "RUNNING"
    hosts: int = 0
    """Live nodes of a pool."""
    pools: list[dict[str, Any]] = field(default_factory=list)
    """The node pools that a cluster shows."""

    def copy(self) -> "Record":
        """The same at this moment."""
        return dataclasses.replace(self, state=copy.deepcopy(self.state), pools=copy.deepcopy(self.pools))
