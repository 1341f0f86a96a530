resource "google_container_node_pool" "dws" {
  provider       = google-beta
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  autoscaling {
    total_min_node_count = 0
    total_max_node_count = 4
    location_policy      = "ANY"
  }
  node_config {
    machine_type     = "ct6e-standard-4t"
    flex_start       = true
    max_run_duration = "86400s"
    boot_disk { disk_type = "hyperdisk-balanced" }
    reservation_affinity { consume_reservation_type = "NO_RESERVATION" }
  }
}
