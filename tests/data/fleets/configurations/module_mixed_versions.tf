# Slices of one group that GKE upgrades one after the other: their versions differ, and one is older than the cluster.
resource "google_container_cluster" "primary" {
  name                     = "pods"
  location                 = "us-east5"
  deletion_protection      = false
  remove_default_node_pool = true
  initial_node_count       = 1
  ip_allocation_policy {}
  release_channel {
    channel = "REGULAR"
  }
}

resource "google_container_node_pool" "slices" {
  for_each       = { 0 = "1.34.1-gke.3849001", 1 = "1.34.0-gke.2201000" }
  name           = "pretrain-${each.key}"
  cluster        = google_container_cluster.primary.name
  location       = google_container_cluster.primary.location
  version        = each.value
  node_locations = ["us-east5-a"]
  node_count     = 8
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "2x4x4"
  }
  node_config {
    machine_type = "ct5p-hightpu-4t"
    disk_size_gb = 200
    oauth_scopes = ["https://www.googleapis.com/auth/cloud-platform"]
    labels       = { team = "pretrain" }
    reservation_affinity {
      consume_reservation_type = "SPECIFIC_RESERVATION"
      key                      = "compute.googleapis.com/reservation-name"
      values                   = ["v5p-block"]
    }
  }
}
