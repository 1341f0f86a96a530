variable "pools" {
  type = map(object({ topology = string, hosts = number }))
  default = {
    small = { topology = "2x4", hosts = 2 }
    wrong = { topology = "4x4", hosts = 4 }
  }
}
resource "gcp_container_nodepool" "slice" {
  for_each       = var.pools
  name           = each.key
  cluster        = "c1"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = each.value.hosts
  placement_policy = {
    type         = "COMPACT"
    tpu_topology = each.value.topology
  }
  node_config = { machine_type = "ct6e-standard-4t" }
}
