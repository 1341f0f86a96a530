locals {
  chips = 16
}
resource "google_container_node_pool" "slice" {
  name           = "slice"
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = local.chips / 8
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x4"
  }
  node_config { machine_type = "ct6e-standard-4t" }
}
