"""How Terraform spells the resources and properties that gke-tpu creates."""

from dataclasses import field

from pulumi_gke_tpu.core.catalog.records.facts import Fact, Record, record


@record
class TerraformResource(Record):
    """One resource type. Paths are camelCase without list indices, as in ``ProviderResource``."""

    type: str
    """Its type in Terraform."""
    import_id: str
    """The ID by which ``import`` finds a resource, with the names of properties in braces."""
    names: dict[str, str] = field(default_factory=dict)
    """Path -> the name in Terraform, where it is not the last part of the path in snake_case."""
    beta: tuple[str, ...] = ()
    """The properties that the provider google lacks; google-beta has them."""
    unsent: tuple[str, ...] = ()
    """The properties that google takes, but neither sends nor reads; google-beta does."""


@record
class Terraform(Fact):
    """The schema of the provider ``hashicorp/google``, for what gke-tpu creates."""

    required_version: str
    """The versions of Terraform and OpenTofu that read the files."""
    provider_version: str
    """The versions of the providers that have this schema."""
    resources: dict[str, TerraformResource]
    """By the type token of Pulumi."""
