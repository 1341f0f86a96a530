locals {
  config = yamldecode(file("${path.module}/pools.yaml"))
}
resource "google_container_node_pool" "tpu" {
  for_each       = local.config.pools
  name           = each.key
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = each.value.hosts
  placement_policy {
    type         = "COMPACT"
    tpu_topology = each.value.topology
  }
  node_config { machine_type = "ct6e-standard-4t" }
}
