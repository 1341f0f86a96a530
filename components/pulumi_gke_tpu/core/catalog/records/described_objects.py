"""How tools that keep cloud resources as Kubernetes objects spell the properties of GKE's resources."""

from pulumi_gke_tpu.core.catalog.records.facts import Count, Fact


class ConfigConnector(Fact):
    """Config Connector has the names of Terraform in camelCase, and ``...Ref`` for a property that names a resource."""

    references: dict[str, str]
    """Name of a reference -> name of the property, where it is not the same without ``Ref``."""
    instead: dict[str, str]
    """Property in Pulumi's spelling that no object has -> the one that has its meaning there."""
    lacks: tuple[str, ...]
    """Properties, in Pulumi's spelling, that no object has."""


class Crossplane(Fact):
    """Crossplane has the names of Terraform in camelCase."""

    names: dict[str, str]
    """Path of a property in Pulumi's spelling -> its last name, where that is another one."""


class ClusterApi(Fact):
    """The Cluster API provider for Google Cloud has names of its own."""

    node_pool: dict[str, str]
    """Path below ``spec`` of a GCPManagedMachinePool -> property in Pulumi's spelling; the first of two is the name."""
    cluster: dict[str, str]
    """Path below ``spec`` of a GCPManagedControlPlane -> property in Pulumi's spelling."""
    zones_of_a_region: Count
    """The number of zones by which it divides the replicas of a node pool without zones in a regional cluster."""
    lacks: tuple[str, ...]
    """Properties, in Pulumi's spelling, that no object has, but that TPU slices of several hosts need."""
