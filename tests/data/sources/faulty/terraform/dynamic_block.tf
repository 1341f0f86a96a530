locals {
  pools = [
    { name = "one", topology = null, hosts = 1 },
    { name = "two", topology = "4x3", hosts = 3 },
  ]
}
resource "google_container_node_pool" "p" {
  for_each       = { for p in local.pools : p.name => p }
  name           = each.key
  cluster        = "c1"
  location       = "us-east5"
  node_locations = ["us-east5-b"]

  node_count     = each.value.hosts
  node_config { machine_type = "ct6e-standard-4t" }
  dynamic "placement_policy" {
    for_each = each.value.topology == null ? [] : [each.value.topology]
    content {
      type         = "COMPACT"
      tpu_topology = placement_policy.value
    }
  }
}
