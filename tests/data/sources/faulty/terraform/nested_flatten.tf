locals {
  clusters = {
    east = {
      location = "us-east5"
      pools    = [{ name = "a", topology = "4x4", hosts = 4 }, { name = "b", topology = "4x3", hosts = 3 }]
    }
  }
  pools = flatten([
    for cluster, c in local.clusters : [
      for pool in c.pools : {
        cluster  = cluster
        location = c.location
        name     = pool.name
        topology = pool.topology
        hosts    = pool.hosts
      }
    ]
  ])
}
resource "google_container_node_pool" "tpu" {
  for_each       = { for p in local.pools : "${p.cluster}/${p.name}" => p }
  name           = each.value.name
  cluster        = each.value.cluster
  location       = each.value.location
  node_locations = ["us-east5-b"]
  node_count     = each.value.hosts
  placement_policy {
    type         = "COMPACT"
    tpu_topology = each.value.topology
  }
  node_config { machine_type = "ct6e-standard-4t" }
}
