# Cluster Toolkit: gke-cluster with its system pool, and gke-node-pool with two static v6e slices of a reservation.
resource "google_container_cluster" "cluster" {
  name                     = "gke-tpu-v6e"
  location                 = "us-central2"
  remove_default_node_pool = true
  initial_node_count       = 1
  deletion_protection      = false
  networking_mode          = "VPC_NATIVE"
  datapath_provider        = "LEGACY_DATAPATH"
  enable_shielded_nodes    = true
  resource_labels          = { ghpc_blueprint = "gke-tpu-v6e", ghpc_deployment = "gke-tpu-v6e", ghpc_module = "gke-cluster", ghpc_role = "scheduler" }

  cluster_autoscaling {
    enabled             = false
    autoscaling_profile = "OPTIMIZE_UTILIZATION"
  }
  ip_allocation_policy {}
  workload_identity_config {
    workload_pool = "my-project.svc.id.goog"
  }
  release_channel {
    channel = "RAPID"
  }
  maintenance_policy {
    daily_maintenance_window {
      start_time = "09:00"
    }
  }
  addons_config {
    gcs_fuse_csi_driver_config {
      enabled = true
    }
    gce_persistent_disk_csi_driver_config {
      enabled = true
    }
  }
}

resource "google_container_node_pool" "system" {
  name     = "system"
  cluster  = google_container_cluster.cluster.name
  location = google_container_cluster.cluster.location
  autoscaling {
    total_min_node_count = 2
    total_max_node_count = 10
  }
  upgrade_settings {
    max_surge       = 1
    max_unavailable = 0
  }
  node_config {
    machine_type    = "e2-standard-4"
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    resource_labels = { ghpc_module = "gke-cluster", ghpc_role = "scheduler" }
    gvnic {
      enabled = true
    }
    workload_metadata_config {
      mode = "GKE_METADATA"
    }
  }
}

resource "google_container_node_pool" "slices" {
  count             = 2
  name              = "v6e-pool-${count.index}"
  cluster           = google_container_cluster.cluster.name
  location          = google_container_cluster.cluster.location
  node_locations    = ["us-central2-b"]
  node_count        = 4
  max_pods_per_node = 64

  management {
    auto_repair  = true
    auto_upgrade = true
  }
  upgrade_settings {
    strategy        = "SURGE"
    max_surge       = 0
    max_unavailable = 1
  }
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x4"
  }
  node_config {
    machine_type    = "ct6e-standard-4t"
    disk_size_gb    = 100
    disk_type       = "hyperdisk-balanced"
    image_type      = "COS_CONTAINERD"
    service_account = "tpu-v6e-gke-np-sa@my-project.iam.gserviceaccount.com"
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    resource_labels = { ghpc_blueprint = "gke-tpu-v6e", ghpc_deployment = "gke-tpu-v6e", ghpc_module = "gke-node-pool", ghpc_role = "compute" }
    metadata        = { disable-legacy-endpoints = "true" }
    shielded_instance_config {
      enable_secure_boot          = true
      enable_integrity_monitoring = true
    }
    gvnic {
      enabled = true
    }
    workload_metadata_config {
      mode = "GKE_METADATA"
    }
    linux_node_config {
      sysctls = {
        "net.ipv4.tcp_rmem" = "4096 87380 16777216"
        "net.ipv4.tcp_wmem" = "4096 16384 16777216"
      }
    }
    reservation_affinity {
      consume_reservation_type = "SPECIFIC_RESERVATION"
      key                      = "compute.googleapis.com/reservation-name"
      values                   = ["projects/my-project/reservations/v6e"]
    }
  }
  network_config {
    enable_private_nodes = true
  }
  timeouts {
    create = "2h"
    update = "2h"
  }
}
