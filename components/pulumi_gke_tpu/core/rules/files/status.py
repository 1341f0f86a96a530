"""TPU896: clusters and node pools that exist and are in error."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope, warning

IN_ERROR = warning(
    "TPU896",
    "resource-in-error",
    scope=Scope.FILE,
    title="GKE reports an error of a cluster or node pool",
    why="GKE could not create or repair all of it, so Pods for its slices wait. Its conditions have the reason, for "
    "example no capacity or no quota",
    fix="Run `gke-tpu explain` with the message: it names the cause and the fix.",
    references=["container-api-discovery"],
    basis="format",
    failing="# Not about content: an answer of gcloud with a node pool that has the status ERROR",
    edit=("the status ERROR", "the status RUNNING"),
)
