# An Autopilot cluster, as the submodule beta-autopilot-public-cluster configures it: GKE creates all node pools.
resource "google_container_cluster" "primary" {
  name                = "auto"
  location            = "us-east5"
  enable_autopilot    = true
  deletion_protection = false
  resource_labels     = { team = "research" }
  ip_allocation_policy {}
  release_channel {
    channel = "RAPID"
  }
  vertical_pod_autoscaling {
    enabled = true
  }
  maintenance_policy {
    daily_maintenance_window {
      start_time = "05:00"
    }
  }
}
