"""Sentences that count the resources of an item by kind."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.graph.phrases import RESOURCE_WORDS, be, counted, resource_word
from pulumi_gke_tpu.core.graph.types import ACCOUNT, IAM_MEMBER
from pulumi_gke_tpu.core.text.findings import listed
from pulumi_gke_tpu.features.diff.consent.subject import GroupChange
from pulumi_gke_tpu.features.diff.model import ResourceChange
from pulumi_gke_tpu.features.diff.sentences import Sentences

DONE = {"delete": "deleted", "replace": "replaced", "create": "created"}
"""Operation -> its participle."""


def describe_counts(changes: Iterable[ResourceChange], done: str, sentences: Sentences) -> None:
    """How many resources of each kind are created, deleted or replaced."""
    counts: dict[str, int] = {}
    for change in changes:
        counts[change.type] = counts.get(change.type, 0) + 1
    order = list(RESOURCE_WORDS)
    kinds = sorted(counts, key=lambda kind: (order.index(kind) if kind in order else len(order), kind))
    parts = [counted(counts[kind], *RESOURCE_WORDS.get(kind, (resource_word(kind), ""))) for kind in kinds]
    if parts:
        sentences.add(f"{listed(parts, most=5)} {be(sum(counts.values()))} {done}")


def describe_account(item: GroupChange, sentences: Sentences) -> None:
    """The service account of a group that exists before and after the change."""
    if item.pair.base is None or item.pair.head is None:
        return
    for operation, done in DONE.items():
        found = [change for change in item.changes if change.type in (ACCOUNT, IAM_MEMBER)]
        describe_counts([change for change in found if change.operation == operation], done, sentences)
