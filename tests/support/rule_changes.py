"""Changes of a plan for the tests of rules about changes."""

from support.transitions import change_of

MULTI = "tpu: v6e\ntopology: 4x4\n"

RESERVED = f"{MULTI}capacity: {{reservation: pool}}\n"

CLUSTER = "mode: standard\nlocation: us-east5\n"

HEAD = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n    slices:\n"

MAIN = "      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2, capacity: {reservation: pool}}\n"

OTHER = "      other: {tpu: v6e, topology: 2x2, zone: us-east5-b}\n"

PLAN = HEAD + MAIN + OTHER


def ack(change: str, of: str = "train/main") -> str:
    return f"acknowledge: [{{change: {change}, of: {of}, reason: it is time, until: 2026-12-01}}]\n"


def said(before: str, after: str, **options: int) -> list[tuple[str, str]]:
    return [(finding.rule, finding.severity.word) for finding in change_of(before, after, **options)]


OPEN = f"{CLUSTER}deletion_protection: false\n"
