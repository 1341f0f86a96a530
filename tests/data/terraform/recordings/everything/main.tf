# Every type of resource that a TPU cluster needs, with most of the options of clusters and pools.
terraform {
  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 8.0"
    }
  }
}

provider "google" {
  project = "my-project"
  region  = "us-central1"
}

resource "google_project_service" "container" {
  service            = "container.googleapis.com"
  disable_on_destroy = false
}

resource "google_compute_network" "tpu" {
  name                    = "tpu"
  auto_create_subnetworks = false
  mtu                     = 8896
}

resource "google_compute_subnetwork" "tpu" {
  name          = "tpu"
  network       = google_compute_network.tpu.id
  ip_cidr_range = "10.0.0.0/20"
  region        = "us-central1"

  private_ip_google_access = true

  secondary_ip_range {
    range_name    = "pods"
    ip_cidr_range = "10.64.0.0/14"
  }
  secondary_ip_range {
    range_name    = "services"
    ip_cidr_range = "10.128.0.0/20"
  }
}

resource "google_compute_network" "data" {
  name                    = "data"
  auto_create_subnetworks = false
}

resource "google_compute_subnetwork" "data" {
  name          = "data"
  network       = google_compute_network.data.id
  ip_cidr_range = "10.1.0.0/20"
  region        = "us-central1"
}

resource "google_compute_firewall" "internal" {
  name    = "internal"
  network = google_compute_network.data.name

  source_ranges = ["10.0.0.0/8"]
  allow {
    protocol = "tcp"
  }
}

resource "google_compute_router" "tpu" {
  name    = "tpu"
  network = google_compute_network.tpu.id
  region  = "us-central1"
}

resource "google_compute_router_nat" "tpu" {
  name   = "tpu"
  router = google_compute_router.tpu.name
  region = "us-central1"

  nat_ip_allocate_option             = "AUTO_ONLY"
  source_subnetwork_ip_ranges_to_nat = "ALL_SUBNETWORKS_ALL_IP_RANGES"
}

resource "google_service_account" "nodes" {
  account_id   = "tpu-nodes"
  display_name = "Nodes of the cluster"
}

resource "google_project_iam_member" "nodes" {
  project = "my-project"
  role    = "roles/container.defaultNodeServiceAccount"
  member  = "serviceAccount:${google_service_account.nodes.email}"
}

resource "google_service_account_iam_member" "workloads" {
  service_account_id = google_service_account.nodes.name
  role               = "roles/iam.workloadIdentityUser"
  member             = "serviceAccount:my-project.svc.id.goog[default/training]"
}

resource "google_storage_bucket_iam_member" "checkpoints" {
  bucket = "checkpoints"
  role   = "roles/storage.objectUser"
  member = "serviceAccount:${google_service_account.nodes.email}"
}

resource "google_compute_reservation" "v6e" {
  name = "v6e"
  zone = "us-central1-b"

  specific_reservation_required = true
  specific_reservation {
    count = 4
    instance_properties {
      machine_type = "ct6e-standard-4t"
    }
  }
}

resource "google_container_cluster" "tpu" {
  name       = "tpu"
  location   = "us-central1"
  network    = google_compute_network.tpu.id
  subnetwork = google_compute_subnetwork.tpu.id

  initial_node_count       = 1
  remove_default_node_pool = true
  deletion_protection      = false
  enable_multi_networking  = true
  datapath_provider        = "ADVANCED_DATAPATH"
  min_master_version       = "1.35"
  resource_labels = {
    team = "research"
  }

  addons_config {
    gcs_fuse_csi_driver_config {
      enabled = true
    }
    parallelstore_csi_driver_config {
      enabled = true
    }
    high_scale_checkpointing_config {
      enabled = true
    }
  }
  cost_management_config {
    enabled = true
  }
  ip_allocation_policy {
    cluster_secondary_range_name  = "pods"
    services_secondary_range_name = "services"
  }
  maintenance_policy {
    recurring_window {
      start_time = "2026-01-03T00:00:00Z"
      end_time   = "2026-01-03T08:00:00Z"
      recurrence = "FREQ=WEEKLY;BYDAY=SA,SU"
    }
    maintenance_exclusion {
      exclusion_name = "run"
      start_time     = "2026-12-01T00:00:00Z"
      end_time       = "2026-12-20T00:00:00Z"
      exclusion_options {
        scope = "NO_MINOR_OR_NODE_UPGRADES"
      }
    }
  }
  node_config {
    service_account = google_service_account.nodes.email
  }
  private_cluster_config {
    enable_private_nodes = true
  }
  release_channel {
    channel = "RAPID"
  }
  workload_identity_config {
    workload_pool = "my-project.svc.id.goog"
  }

  lifecycle {
    ignore_changes = [node_config]
  }
}

resource "google_container_cluster" "autopilot" {
  name     = "autopilot"
  location = "us-central1"

  enable_autopilot    = true
  deletion_protection = false
  release_channel {
    channel = "RAPID"
  }
}

resource "google_container_node_pool" "v6e" {
  name       = "v6e"
  cluster    = google_container_cluster.tpu.name
  location   = "us-central1"
  node_count = 4

  node_locations = ["us-central1-b"]

  management {
    auto_repair  = true
    auto_upgrade = true
  }
  max_pods_per_node = 32
  network_config {
    additional_node_network_configs {
      network    = google_compute_network.data.name
      subnetwork = google_compute_subnetwork.data.name
    }
  }
  node_config {
    machine_type    = "ct6e-standard-4t"
    service_account = google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    image_type      = "COS_CONTAINERD"
    disk_size_gb    = 200
    disk_type       = "hyperdisk-balanced"
    labels = {
      team = "research"
    }
    tags = ["tpu"]
    resource_labels = {
      team = "research"
    }
    gvnic {
      enabled = true
    }
    gcfs_config {
      enabled = true
    }
    kubelet_config {
      cpu_manager_policy = "static"
    }
    linux_node_config {
      sysctls = {
        "net.core.somaxconn" = "4096"
      }
      hugepages_config {
        hugepage_size_2m = 1024
      }
    }
    reservation_affinity {
      consume_reservation_type = "SPECIFIC_RESERVATION"
      key                      = "compute.googleapis.com/reservation-name"
      values                   = [google_compute_reservation.v6e.name]
    }
    secondary_boot_disks {
      disk_image = "global/images/weights"
      mode       = "CONTAINER_IMAGE_CACHE"
    }
    shielded_instance_config {
      enable_integrity_monitoring = true
      enable_secure_boot          = true
    }
    taint {
      key    = "team"
      value  = "research"
      effect = "NO_SCHEDULE"
    }
    workload_metadata_config {
      mode = "GKE_METADATA"
    }
  }
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x4"
  }
  upgrade_settings {
    max_surge       = 0
    max_unavailable = 1
  }
  timeouts {
    create = "60m"
  }
}

resource "google_container_node_pool" "spot" {
  name     = "spot"
  cluster  = google_container_cluster.tpu.name
  location = "us-central1"

  node_locations     = ["us-central1-b", "us-central1-c"]
  initial_node_count = 1

  autoscaling {
    total_min_node_count = 0
    total_max_node_count = 8
    location_policy      = "ANY"
  }
  node_config {
    machine_type = "ct6e-standard-8t"
    spot         = true
  }
}

resource "google_container_node_pool" "flex" {
  name     = "flex"
  cluster  = google_container_cluster.tpu.name
  location = "us-central1"

  node_locations     = ["us-central1-b"]
  initial_node_count = 0

  autoscaling {
    min_node_count = 0
    max_node_count = 4
  }
  node_config {
    machine_type     = "ct6e-standard-4t"
    flex_start       = true
    max_run_duration = "86400s"
    reservation_affinity {
      consume_reservation_type = "NO_RESERVATION"
    }
  }
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x4"
  }
}

resource "google_container_node_pool" "queued" {
  name     = "queued"
  cluster  = google_container_cluster.tpu.name
  location = "us-central1"

  node_locations     = ["us-central1-b"]
  initial_node_count = 0

  autoscaling {
    min_node_count = 0
    max_node_count = 4
  }
  queued_provisioning {
    enabled = true
  }
  node_config {
    machine_type = "ct5lp-hightpu-4t"
    reservation_affinity {
      consume_reservation_type = "NO_RESERVATION"
    }
  }
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x4"
  }
}

resource "google_container_node_pool" "cpu" {
  name       = "cpu"
  cluster    = google_container_cluster.tpu.name
  location   = "us-central1"
  node_count = 1

  node_locations = ["us-central1-b"]
  node_config {
    machine_type = "n2-standard-8"
  }
}

data "google_project" "this" {
  project_id = "my-project"
}

output "number" {
  value = data.google_project.this.number
}
