locals {
  topologies = {
    small = "2x4"
    odd   = "4x3"
  }
}
variable "size" { default = "odd" }
resource "google_container_node_pool" "slice" {
  name           = "slice"
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = 3
  placement_policy {
    type         = "COMPACT"
    tpu_topology = lookup(local.topologies, var.size, "4x4")
  }
  node_config { machine_type = "ct6e-standard-4t" }
}
