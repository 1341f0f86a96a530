# TPU363 node_config.spot
resource "google_container_node_pool" "reserved" {
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = 1
  node_config {
    machine_type = "ct6e-standard-4t"
    disk_type    = "hyperdisk-balanced"
    spot         = true
    reservation_affinity {
      consume_reservation_type = "SPECIFIC_RESERVATION"
      key                      = "compute.googleapis.com/reservation-name"
      values                   = [var.reservation]
    }
  }
}
