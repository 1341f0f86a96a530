locals {
  common = { disk_type = "pd-balanced", machine_type = "ct6e-standard-4t" }
  serve  = merge(local.common, { nodes = 2, disk_type = "hyperdisk-balanced" })
}
resource "google_container_node_pool" "serve" {
  name           = "serve"
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = local.serve.nodes
  node_config {
    machine_type = local.serve.machine_type
    disk_type    = local.serve.disk_type
  }
}
