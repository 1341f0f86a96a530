"""The settings of the modules of Cluster Toolkit with a key of a plan, and those without one."""

from collections.abc import Mapping
from typing import Final

CLUSTER_KEYS: Final[Mapping[str, str]] = {
    "enable_ml_diagnostics": "ml_diagnostics",
    "enable_private_nodes": "private_nodes",
    "enable_private_endpoint": "control_plane.private",
    "system_node_pool_machine_type": "system_pool.machine_type",
    "system_node_pool_disk_size_gb": "system_pool.boot_disk_size_gib",
    "system_node_pool_disk_type": "system_pool.boot_disk_type",
    "system_node_pool_kubernetes_labels": "system_pool.node_labels",
    "system_node_pool_zones": "system_pool.zones",
    "system_node_pool_enable_secure_boot": "security.secure_boot",
    "enable_shielded_nodes": "security.shielded_nodes",
    "enable_dataplane_v2": "security.dataplane_v2",
    "labels": "resource_labels",
    "deletion_protection": "deletion_protection",
    "min_master_version": "min_version",
    "enable_external_dns_endpoint": "control_plane.dns_endpoint",
}
ADDONS: Final[Mapping[str, str]] = {
    "enable_gcsfuse_csi": "gcs_fuse",
    "enable_filestore_csi": "filestore",
    "enable_parallelstore_csi": "parallelstore",
    "enable_managed_lustre_csi": "lustre",
    "enable_ray_operator": "ray_operator",
    "enable_node_local_dns_cache": "dns_cache",
    "enable_slice_controller": "slice_controller",
    "enable_multi_tier_checkpointing": "high_scale_checkpointing",
}
CLUSTER_EXTRA: Final[Mapping[str, str]] = {
    "default_max_pods_per_node": "extra.default_max_pods_per_node",
    "enable_vertical_pod_autoscaling": "extra.vertical_pod_autoscaling.enabled",
    "enable_master_global_access": "extra.private_cluster_config.master_global_access_config.enabled",
    "enable_k8s_beta_apis": "extra.enable_k8s_beta_apis.enabled_apis",
}
CLUSTER_LEFT: Final[Mapping[str, str]] = {
    "service_account_scopes": "gke-tpu uses cloud-platform and limits access with IAM",
    "enable_multi_networking": "gke-tpu sets it for clusters with additional networks",
    "k8s_network_names": "gke-tpu names the Network objects after the networks",
    "enable_private_ipv6_google_access": "gke-tpu does not set it; `extra` can",
    "enable_persistent_disk_csi": "GKE always enables the driver of persistent disks",
    "timeout_create": "`timeouts` has it",
    "timeout_update": "`timeouts` has it",
    "autoscaling_profile": "gke-tpu chooses it",
    "system_node_pool_taints": "the system pool has no taints by default",
    "k8s_service_account_name": "`service_accounts` has the Kubernetes service accounts",
}
POOL_KEYS: Final[Mapping[str, str]] = {
    "disk_size_gb": "boot_disk.size_gib",
    "disk_type": "boot_disk.type",
    "enable_gcfs": "image_streaming",
    "kubernetes_labels": "node_labels",
    "labels": "resource_labels",
    "max_pods_per_node": "max_pods_per_node",
    "auto_repair": "upgrade.auto_repair",
    "auto_upgrade": "upgrade.auto_upgrade",
    "service_account_email": "node_service_account",
    "taints": "taints",
}
POOL_LEFT: Final[Mapping[str, str]] = {
    "service_account_scopes": "gke-tpu uses cloud-platform and limits access with IAM",
    "is_reservation_active": "a reservation that is not active yet is not a setting of a plan",
    "enable_dranet": "a plan does not set up DRANET",
    "dranet_device_class_name": "a plan does not set up DRANET",
    "dranet_allocation_mode": "a plan does not set up DRANET",
    "enable_secure_boot": "GKE has it for TPU node pools only with `security.tpu_secure_boot`",
    "gke_version": "`min_version` of the cluster has it",
    "guest_accelerator": "it is for GPUs",
    "image_type": "gke-tpu uses Container-Optimized OS",
    "timeout_create": "`timeouts` has it",
    "timeout_update": "`timeouts` has it",
    "enable_private_nodes": "`private_nodes` of the cluster has it",
    "linux_node_config": "a plan does not set it; `extra` can",
    "upgrade_settings": "`upgrade` has it; gke-tpu chooses a strategy that fits the slices",
}
MODULES_LEFT: Final[Mapping[str, str]] = {
    "cloud-storage-bucket": "gke-tpu creates no buckets; name the bucket in `volumes` of a workload",
    "filestore": "gke-tpu creates no Filestore instances; name the instance in `volumes` of a workload",
    "managed-lustre": "gke-tpu creates no Lustre instances; name the instance in `volumes` of a workload",
    "parallelstore": "gke-tpu creates no Parallelstore instances; name the instance in `volumes` of a workload",
    "private-service-access": "gke-tpu does not set up private services access",
    "gke-persistent-volume": "the volumes of workloads are in `volumes`",
    "gke-storage": "the volumes of workloads are in `volumes`",
    "gke-job-template": "its job is made by a command after the deployment; add it to `workloads`",
    "firewall-rules": "gke-tpu creates no firewall rules of your own",
    "service-account": "`node_service_account: create` makes the account of the nodes",
}
