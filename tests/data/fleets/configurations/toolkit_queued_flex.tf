# Cluster Toolkit: flex-start with queued provisioning, and single hosts with flex-start alone.
resource "google_container_cluster" "cluster" {
  name                     = "gke-tpu-flex"
  location                 = "us-east5"
  remove_default_node_pool = true
  initial_node_count       = 1
  deletion_protection      = false
  resource_labels          = { ghpc_module = "gke-cluster", ghpc_role = "scheduler" }
  ip_allocation_policy {}
  release_channel {
    channel = "REGULAR"
  }
}

resource "google_container_node_pool" "pool" {
  for_each           = { queued = "4x4", hosts = "" }
  name               = "flex-${each.key}"
  cluster            = google_container_cluster.cluster.name
  location           = google_container_cluster.cluster.location
  node_locations     = ["us-east5-b"]
  initial_node_count = 0
  autoscaling {
    total_min_node_count = each.value == "" ? 0 : null
    total_max_node_count = each.value == "" ? 8 : null
    max_node_count       = each.value == "" ? null : 4
    location_policy      = "ANY"
  }
  management {
    auto_repair  = false
    auto_upgrade = true
  }
  upgrade_settings {
    strategy        = "SURGE"
    max_surge       = 0
    max_unavailable = 1
  }
  dynamic "placement_policy" {
    for_each = each.value == "" ? [] : [each.value]
    content {
      type         = "COMPACT"
      tpu_topology = placement_policy.value
    }
  }
  dynamic "queued_provisioning" {
    for_each = each.value == "" ? [] : [true]
    content {
      enabled = true
    }
  }
  node_config {
    machine_type     = "ct6e-standard-4t"
    flex_start       = true
    max_run_duration = each.value == "" ? "604800s" : null
    disk_type        = "hyperdisk-balanced"
    oauth_scopes     = ["https://www.googleapis.com/auth/cloud-platform"]
    resource_labels  = { ghpc_module = "gke-node-pool", ghpc_role = "compute" }
    gvnic {
      enabled = true
    }
    reservation_affinity {
      consume_reservation_type = "NO_RESERVATION"
    }
  }
}
