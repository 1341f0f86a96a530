terraform {
  required_providers { gcp = { source = "pulumi/gcp" } }
}
locals {
  topology = "4x3"
}
resource "gcp_container_node_pool" "slice" {
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = 3
  placement_policy {
    type         = "COMPACT"
    tpu_topology = local.topology
  }
  node_config { machine_type = "ct6e-standard-4t" }
}
