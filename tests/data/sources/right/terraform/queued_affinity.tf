resource "google_container_node_pool" "queued" {
  name               = "queued"
  cluster            = "train"
  location           = "us-east5"
  node_locations     = ["us-east5-b"]
  initial_node_count = 0
  autoscaling {
    min_node_count  = 0
    max_node_count  = 4
    location_policy = "ANY"
  }
  queued_provisioning { enabled = true }
  node_config {
    machine_type = "ct6e-standard-4t"
    labels       = { "cloud.google.com/gke-queued" = "true" }
    reservation_affinity { consume_reservation_type = "NO_RESERVATION" }
  }
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x4"
  }
}
