"""Edits of the service accounts of workloads, and of the buckets that decide on their roles."""

from support.editing import DELETE_FIRST, EAST, Change, Edit, Plan, cluster, inside

_KEY = f"{EAST}/service_accounts/trainer"
_RUN = ("kubernetes", "workloads", "run")
_TOKENS = (*_RUN, "volumes", "tokens")
_GRANT = f"BucketIAMMember {_KEY}/acme-tokens"
_IDENTITY = f"IAMMember {_KEY}/default"
_QUEUE = {"research": {"namespace": "research"}}


def _queued(plan: Plan) -> None:
    inside("kubernetes", queues=_QUEUE)(plan)
    inside(*_RUN, queue="research")(plan)


def _without(*path: str) -> Change:
    return inside(*path[:-1], **{path[-1]: None})


ACCOUNTS = (
    Edit("volume that writes", "buckets", inside(*_TOKENS, read_only=False), {_KEY: "replace"}, {_GRANT: DELETE_FIRST}),
    Edit("another bucket", "buckets", inside(*_TOKENS, bucket={"name": "acme-new"}), {_KEY: "delete"}, {
        _GRANT: "delete", f"BucketIAMMember {_KEY}/acme-new": "create",
    }),
    Edit("folder of a bucket", "buckets", inside(*_TOKENS, bucket={"name": "acme-tokens", "path": "v3"})),
    Edit("volume gone", "buckets", _without(*_TOKENS), {_KEY: "delete"}, {_GRANT: "delete"}),
    Edit("queue in another namespace", "buckets", _queued, {_KEY: "delete"}, {
        _IDENTITY: "delete", f"IAMMember {_KEY}/research": "create",
    }),
    Edit(
        "existing Google service account",
        "buckets",
        inside("kubernetes", "service_accounts", "trainer", google="trainer@acme-ml.iam.gserviceaccount.com"),
        {_KEY: "delete"},
        {f"Account {_KEY}": "delete", _GRANT: "delete", _IDENTITY: "delete"},
    ),
    Edit(
        "checkpoints",
        "buckets",
        inside("kubernetes", checkpoints={"bucket": "acme-ckpt", "memory": "60Gi", "project_number": 1}),
        {f"{EAST}/checkpoints": "create"},
        {f"BucketIAMMember {EAST}/checkpoints/acme-ckpt": "create"},
    ),
    Edit("no Kubernetes objects", "buckets", cluster(kubernetes=None), {_KEY: "delete"}, {f"Account {_KEY}": "delete"}),
    Edit(
        "another service account",
        "buckets",
        inside("kubernetes", "service_accounts", other={"google": "create"}),
        {f"{EAST}/service_accounts/other": "create"},
        {f"Account {EAST}/service_accounts/other": "create"},
    ),
)  # fmt: skip
"""Service accounts of workloads."""
