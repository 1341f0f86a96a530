locals {
  pools = {
    a = { topology = "4x3", hosts = 3 }
    b = { hosts = 1 }
  }
}
resource "google_container_node_pool" "tpu" {
  for_each       = local.pools
  name           = each.key
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = each.value.hosts
  dynamic "placement_policy" {
    for_each = try(each.value.topology, null) == null ? [] : [1]
    content {
      type         = "COMPACT"
      tpu_topology = each.value.topology
    }
  }
  node_config { machine_type = "ct6e-standard-4t" }
}
