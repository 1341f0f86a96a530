locals {
  slices = toset(["4x4", "4x3"])
}
resource "google_container_node_pool" "slice" {
  for_each       = local.slices
  name           = "slice-${each.key}"
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  placement_policy {
    type         = "COMPACT"
    tpu_topology = each.value
  }
  node_config { machine_type = "ct6e-standard-4t" }
}
