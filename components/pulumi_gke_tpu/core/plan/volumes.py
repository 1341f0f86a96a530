"""Models of the volumes of a workload: disks, buckets, file systems and folders of the node."""

from typing import Literal

from pulumi_gke_tpu.core.plan.base import PlanModel, key, optional
from pulumi_gke_tpu.core.plan.pods import RequiredQuantity


class Disk(PlanModel):
    """A new disk: a PersistentVolumeClaim and its StorageClass."""

    type: str = key("Disk type, such as hyperdisk-balanced.", form="disk_type")
    size_gib: int = key("Size in GiB.", ge=1)
    access: Literal["read_write_once", "read_only_many"] = key(
        "Access mode: one node reads and writes, or many nodes read.", default="read_write_once"
    )


class Bucket(PlanModel):
    """A Cloud Storage bucket that exists, mounted by Cloud Storage FUSE."""

    name: str = key("Name of the bucket, without gs://.")
    path: str | None = optional("Folder of the bucket to mount; the whole bucket if not set.")
    mount_options: list[str] = key(
        "Mount options of Cloud Storage FUSE, such as file-cache:max-size-mb:-1; implicit-dirs if not set.",
        default=list,
    )


class Filestore(PlanModel):
    """A Filestore instance that exists."""

    instance: str = key("Name of the instance.")
    location: str = key("Zone of the instance; its region for the regional and enterprise tiers.")
    ip: str = key("IP address of the instance.")
    share: str = key("Name of the file share.")
    size_gib: int = key("Size of the file share in GiB.", ge=1)


class Lustre(PlanModel):
    """A Managed Lustre instance that exists, in the VPC network of the cluster."""

    instance: str = key("Name of the instance.")
    location: str = key("Zone of the instance.", form="zone")
    ip: str = key("IP address of the instance.")
    filesystem: str = key("Name of the file system.")
    size_gib: int = key("Size of the instance in GiB.", ge=1)
    project: str | None = optional("Project of the instance; that of the cluster if not set.", form="project")


class Parallelstore(PlanModel):
    """A Parallelstore instance that exists, in the VPC network of the cluster."""

    instance: str = key("Name of the instance.")
    location: str = key("Zone of the instance.", form="zone")
    access_points: list[str] = key("IP addresses of the access points.", min_length=1)
    size_gib: int = key("Size of the instance in GiB.", ge=1)
    project: str | None = optional("Project of the instance; that of the cluster if not set.", form="project")
    network: str | None = optional("VPC network of the instance, for the driver to compare.")
    mount_options: list[str] = key("Mount options of dfuse, such as enable-wb-cache.", default=list)


class Checkpoints(PlanModel):
    """Multi-tier checkpointing: a folder in the memory of hosts, which GKE copies to other hosts and to a bucket."""

    bucket: str = key("Name of an existing bucket with a hierarchical namespace, without gs://.")
    memory: RequiredQuantity = key("Memory of each host for checkpoints, such as 60Gi.", form="quantity")
    slices: list[str] = key("Slice groups whose hosts have the folder; all if not set.", default=list)
    project_number: int | None = optional(
        "Number of the project, which is part of the name of the account that gets a role on the bucket. If not set, "
        "you grant the role.",
        ge=1,
    )


class Volume(PlanModel):
    """A volume of every Pod, with exactly one source."""

    mount: str = key("Mount path, an absolute path in the containers.", form="mount_path")
    read_only: bool = key("Mount the volume for reading only.", default=False)
    disk: Disk | None = optional("New disk.")
    claim: str | None = optional("Name of an existing PersistentVolumeClaim.", form="dns_label")
    empty_dir: bool = key("Empty directory on the boot disk of the node.", default=False)
    bucket: Bucket | None = optional("Existing Cloud Storage bucket.")
    filestore: Filestore | None = optional("Existing Filestore instance.")
    lustre: Lustre | None = optional("Existing Managed Lustre instance.")
    parallelstore: Parallelstore | None = optional("Existing Parallelstore instance.")
    checkpoints: bool = key(
        "Folder in the memory of the host that `checkpoints` of the cluster copies to a bucket.",
        default=False,
        autopilot="refused",
        instead="use `bucket`",
    )
    host_path: str | None = optional(
        "Folder of the node, an absolute path, which is created if it does not exist.",
        form="mount_path",
        autopilot="refused",
        instead="use `empty_dir` or `bucket`",
    )
