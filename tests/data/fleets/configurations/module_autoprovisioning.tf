# Node auto-provisioning with limits for TPUs, beside a slice of the module.
resource "google_container_cluster" "primary" {
  name                     = "nap-module"
  location                 = "us-west4-a"
  deletion_protection      = false
  remove_default_node_pool = true
  initial_node_count       = 1
  ip_allocation_policy {}
  cluster_autoscaling {
    enabled = true
    resource_limits {
      resource_type = "cpu"
      maximum       = 1000
    }
    resource_limits {
      resource_type = "memory"
      maximum       = 4000
    }
    resource_limits {
      resource_type = "tpu-v5-lite-podslice"
      maximum       = 64
    }
    auto_provisioning_defaults {
      oauth_scopes = ["https://www.googleapis.com/auth/cloud-platform"]
    }
  }
}

resource "google_container_node_pool" "slice" {
  name       = "kept"
  cluster    = google_container_cluster.primary.name
  location   = google_container_cluster.primary.location
  node_count = 2
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "2x4"
  }
  node_config {
    machine_type = "ct5lp-hightpu-4t"
    spot         = true
    labels       = { cluster_name = "nap-module", node_pool = "kept" }
    oauth_scopes = ["https://www.googleapis.com/auth/cloud-platform"]
  }
}
