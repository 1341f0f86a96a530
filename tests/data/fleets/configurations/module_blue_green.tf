# Hosts for serving in two zones, with blue-green upgrades, total limits, a secondary boot disk and a gVisor-free image.
resource "google_container_cluster" "primary" {
  name                     = "serve"
  location                 = "us-central1"
  deletion_protection      = false
  remove_default_node_pool = true
  initial_node_count       = 1
  ip_allocation_policy {}
}

resource "google_container_node_pool" "hosts" {
  name               = "serve"
  cluster            = google_container_cluster.primary.name
  location           = google_container_cluster.primary.location
  node_locations     = ["us-central1-b", "us-central1-c"]
  initial_node_count = 1
  max_pods_per_node  = 32
  autoscaling {
    total_min_node_count = 1
    total_max_node_count = 12
    location_policy      = "ANY"
  }
  upgrade_settings {
    strategy = "BLUE_GREEN"
    blue_green_settings {
      node_pool_soak_duration = "1800s"
      standard_rollout_policy {
        batch_node_count    = 1
        batch_soak_duration = "300s"
      }
    }
  }
  node_config {
    machine_type    = "ct6e-standard-1t"
    disk_type       = "hyperdisk-balanced"
    disk_size_gb    = 120
    resource_labels = { cost-center = "serving" }
    labels          = { app = "vllm" }
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    secondary_boot_disks {
      disk_image = "projects/my-project/global/images/weights"
      mode       = "CONTAINER_IMAGE_CACHE"
    }
    kubelet_config {
      cpu_manager_policy = "static"
    }
    gcfs_config {
      enabled = true
    }
  }
}
