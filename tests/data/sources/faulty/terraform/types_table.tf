locals {
  types = {
    v6e-8  = ["2x4", 2, "ct6e-standard-4t"]
    v6e-16 = ["4x4", 2, "ct6e-standard-4t"]
  }
}
variable "type" { default = "v6e-16" }
resource "google_container_node_pool" "slice" {
  name = "slice"
  cluster        = "c1"
  location       = "us-east5"
  node_locations = ["us-east5-b"]

  initial_node_count = local.types[var.type][1]
  node_config { machine_type = local.types[var.type][2] }
  placement_policy {
    type         = "COMPACT"
    tpu_topology = local.types[var.type][0]
  }
}
