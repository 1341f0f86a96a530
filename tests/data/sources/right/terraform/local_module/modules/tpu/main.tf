variable "topology" {
  default = "4x3"
}
variable "hosts" { default = 3 }
resource "google_container_node_pool" "this" {
  name           = "tpu-${var.topology}"
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = var.hosts
  placement_policy {
    type         = "COMPACT"
    tpu_topology = var.topology
  }
  node_config { machine_type = "ct6e-standard-4t" }
}
