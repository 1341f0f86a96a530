"""TPU972: resources of Terraform with properties that their provider does not create."""

from pulumi_gke_tpu.core.rules.engine.rule import Scope, warning

NOT_BY_GOOGLE = warning(
    "TPU972",
    "property-of-google-beta",
    scope=Scope.FILE,
    title="Property that only the provider google-beta creates",
    why="Terraform rejects a property that its provider does not have. And google has properties that it never sends, "
    "so Terraform reports success, and GKE creates the resource without them",
    fix="Add `provider = google-beta` to the resource.",
    references=["TERRAFORM_PROVIDER_8"],
    basis="format",
    failing="# Not about content: a node pool in Terraform with `best_effort_provisioning` and `provider = google`",
    edit=("provider = google`", "provider = google-beta`"),
)
