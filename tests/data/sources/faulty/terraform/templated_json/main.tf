locals {
  pools = jsondecode(file("${path.module}/pools.json"))
}
resource "google_container_node_pool" "p" {
  count          = length(local.pools)
  name           = local.pools[count.index]["name"]
  cluster        = "c1"
  location       = "us-east5"
  node_locations = ["us-east5-b"]

  node_count     = 1
  node_config { machine_type = local.pools[count.index]["machine"] }
}
