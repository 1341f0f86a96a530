locals {
  names = ["a", "b"]
  sizes = ["2x4", "3x4"]
  pools = { for pair in setproduct(local.names, local.sizes) : "${pair[0]}-${pair[1]}" => pair[1] }
}
resource "google_container_node_pool" "p" {
  for_each       = local.pools
  name           = each.key
  cluster        = "c1"
  location       = "us-east5"
  node_locations = ["us-east5-b"]

  node_count     = each.value == "2x4" ? 2 : 3
  node_config { machine_type = "ct6e-standard-4t" }
  placement_policy {
    type         = "COMPACT"
    tpu_topology = each.value
  }
}
