"""What runs on GKE showed: the form of a file of ``gke-tpu evidence``, which is also an entry of the catalog."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import StringConstraints

from pulumi_gke_tpu.core.catalog.records.facts import Record

EvidenceFact = Literal[
    "threads-per-core",
    "pool-taint",
    "ip-endpoint",
    "boot-disk",
    "minimum-version",
    "placement",
    "placement-name",
    "node-labels",
    "node-taint",
    "chips-per-node",
    "second-preview",
]
EVIDENCE_FACTS: Mapping[EvidenceFact, str] = MappingProxyType(
    {
        "threads-per-core": "threads per core that GKE reports of a TPU node pool",
        "pool-taint": "taint of TPUs that GKE reports of a node pool",
        "ip-endpoint": "whether GKE reports a public endpoint of a control plane without an IP endpoint",
        "boot-disk": "type of the boot disk of a TPU node pool",
        "minimum-version": "whether node pools run on a version below the minimum",
        "placement": "placement of a slice of several hosts",
        "placement-name": "whether GKE reports the name of a placement policy that no request set",
        "node-labels": "labels of accelerator, topology and chips on nodes",
        "node-taint": "taint of TPUs on nodes",
        "chips-per-node": "chips that a node offers",
        "second-preview": "properties that differ in a preview after the update",
    }
)
"""What only GKE can show, each with its title."""
OutcomeOfRun = Literal["confirmed", "contradicted", "new"]
"""new: the catalog predicts nothing."""
Month = Annotated[str, StringConstraints(pattern=r"^\d{4}-(0[1-9]|1[0-2])$")]
Version = Annotated[str, StringConstraints(pattern=r"^[0-9]+([.-][0-9a-z]+)*$", max_length=40)]
Word = Annotated[str, StringConstraints(pattern=r"^([A-Za-z0-9][A-Za-z0-9 ,.:/_-]*)?$", max_length=200)]
"""Words of gke-tpu, values of the catalog, and paths of properties; nothing that Markdown or a terminal reads."""


class Observation(Record):
    """One fact of one machine family, or of clusters, in one run. All words are those of gke-tpu and its catalog."""

    fact: EvidenceFact
    of: Word
    """A TPU machine family or a machine type of the catalog, or ``cluster``."""
    predicted: Word = ""
    """Empty if the catalog predicts nothing."""
    seen: tuple[Word, ...]
    """The distinct values of all node pools, sorted."""

    @property
    def outcome(self) -> OutcomeOfRun:
        """Whether GKE showed what was predicted, of every node pool."""
        if not self.predicted:
            return "new"
        return "confirmed" if self.seen == (self.predicted,) else "contradicted"


class EvidenceRun(Record):
    """What one run showed."""

    month: Month
    """In which the state was read: 2026-11."""
    gke_tpu: Version
    """The version of gke-tpu."""
    catalog: Version
    """The version of the catalog."""
    observations: tuple[Observation, ...]

    @property
    def not_seen(self) -> tuple[EvidenceFact, ...]:
        """The facts of which the run shows nothing."""
        seen = {each.fact for each in self.observations}
        return tuple(fact for fact in EVIDENCE_FACTS if fact not in seen)
