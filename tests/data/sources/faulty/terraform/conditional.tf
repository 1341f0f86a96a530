variable "big" {
  type    = bool
  default = true
}
resource "google_container_node_pool" "slice" {
  name           = "slice"
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = var.big ? 3 : 1
  placement_policy {
    type         = "COMPACT"
    tpu_topology = var.big ? "4x3" : "2x2"
  }
  node_config { machine_type = "ct6e-standard-4t" }
}
