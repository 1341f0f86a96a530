locals {
  slices = { for i in range(2) : "s${i}" => { topology = i == 0 ? "4x4" : "4x3" } }
}
resource "google_container_node_pool" "p" {
  for_each = local.slices
  name = each.key
  cluster = "c1"
  location = "us-east5"
  node_locations = ["us-east5-b"]
  node_count = 4
  node_config {
    machine_type = "ct6e-standard-4t"
  }
  placement_policy {
    type = "COMPACT"
    tpu_topology = each.value.topology
  }
}
