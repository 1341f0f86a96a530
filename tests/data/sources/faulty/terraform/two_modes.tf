variable "spot" {
  type    = bool
  default = true
}
locals {
  reservation = "projects/acme-ml/reservations/tpu"
}
resource "google_container_node_pool" "p" {
  name           = "p"
  cluster        = "c1"
  location       = "us-east5"
  node_locations = ["us-east5-b"]

  node_count     = 1
  node_config {
    machine_type = "ct6e-standard-4t"
    spot         = var.spot
    reservation_affinity {
      consume_reservation_type = "SPECIFIC_RESERVATION"
      key                      = "compute.googleapis.com/reservation-name"
      values                   = [local.reservation]
    }
  }
}
