# TPU462 autoscaling.max_node_count
resource "google_container_node_pool" "elastic" {
  provider       = google-beta
  cluster        = "train"
  location       = "us-east5"
  node_locations = [
    "us-east5-b", # the only one
  ]
  autoscaling {
    min_node_count = 0
    max_node_count = 2
  }
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x4"
  }
  node_config {
    machine_type = "ct6e-standard-4t"
    disk_type    = "hyperdisk-balanced"
    metadata     = { "disable-legacy-endpoints" = "true" }
  }
}
