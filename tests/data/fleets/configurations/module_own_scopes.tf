# A zonal cluster without a release channel, whose node pools are not upgraded and have the scopes of older modules.
resource "google_container_cluster" "primary" {
  name                     = "legacy"
  location                 = "us-central2-b"
  deletion_protection      = false
  remove_default_node_pool = true
  initial_node_count       = 1
  ip_allocation_policy {}
  release_channel {
    channel = "UNSPECIFIED"
  }
}

resource "google_container_node_pool" "slice" {
  name       = "tpu-v4"
  cluster    = google_container_cluster.primary.name
  location   = google_container_cluster.primary.location
  node_count = 8
  management {
    auto_repair  = true
    auto_upgrade = false
  }
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "2x4x4"
  }
  node_config {
    machine_type = "ct4p-hightpu-4t"
    oauth_scopes = [
      "https://www.googleapis.com/auth/devstorage.read_write",
      "https://www.googleapis.com/auth/logging.write",
      "https://www.googleapis.com/auth/monitoring.write",
    ]
    labels          = { node_pool = "tpu-v4", cluster_name = "legacy" }
    logging_variant = "MAX_THROUGHPUT"
  }
}
