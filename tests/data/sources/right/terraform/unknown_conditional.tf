variable "multi" { type = bool }
variable "reservation" { type = string }
resource "google_container_node_pool" "slice" {
  name           = "slice"
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = var.multi ? 4 : 1
  node_config {
    machine_type = "ct6e-standard-4t"
    spot         = var.reservation == null
    dynamic "reservation_affinity" {
      for_each = var.reservation == null ? [] : [var.reservation]
      content {
        consume_reservation_type = "SPECIFIC_RESERVATION"
        key                      = "compute.googleapis.com/reservation-name"
        values                   = [reservation_affinity.value]
      }
    }
  }
  dynamic "placement_policy" {
    for_each = var.multi ? [1] : []
    content {
      type         = "COMPACT"
      tpu_topology = "4x4"
    }
  }
}
resource "google_container_node_pool" "one" {
  name           = "one"
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = var.multi ? 4 : 1
  node_config { machine_type = "ct6e-standard-4t" }
  dynamic "placement_policy" {
    for_each = var.multi ? [1] : []
    content {
      type         = "COMPACT"
      tpu_topology = "4x4"
    }
  }
}
