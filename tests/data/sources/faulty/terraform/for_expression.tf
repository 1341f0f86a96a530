locals {
  raw = [
    { name = "a", zone = "us-east5-b", topology = "4x4", hosts = 4 },
    { name = "b", zone = "us-east5-b", topology = "4x3", hosts = 3 },
  ]
  pools = { for p in local.raw : p.name => p }
}
resource "google_container_node_pool" "tpu" {
  for_each       = local.pools
  name           = each.key
  cluster        = "train"
  location       = "us-east5"
  node_locations = [each.value.zone]
  node_count     = each.value.hosts
  placement_policy {
    type         = "COMPACT"
    tpu_topology = each.value.topology
  }
  node_config { machine_type = "ct6e-standard-4t" }
}
