variable "big" {
  type    = bool
  default = false
}
resource "google_container_node_pool" "slice" {
  name           = "slice"
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = var.big ? 16 : 4
  placement_policy {
    type         = "COMPACT"
    tpu_topology = var.big ? "8x8" : "4x4"
  }
  node_config {
    machine_type = "ct6e-standard-4t"
    disk_type    = var.big && true ? "pd-balanced" : null
  }
}
