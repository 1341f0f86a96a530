variable "extra" {
  type    = list(string)
  default = []
}
locals {
  zones   = distinct(concat(["us-east5-b"], var.extra))
  machine = join("-", ["ct6e", "standard", "4t"])
  size    = { "4x4" = 4, "2x4" = 2 }["4x4"]
}
resource "google_container_node_pool" "slice" {
  name           = lower("SLICE")
  cluster        = "train"
  location       = substr(local.zones[0], 0, 8)
  node_locations = local.zones
  node_count     = max(local.size, 1)
  placement_policy {
    type         = "COMPACT"
    tpu_topology = one(["4x4"])
  }
  node_config {
    machine_type = local.machine
    labels       = merge({ team = "a" }, var.labels)
    tags         = compact(["", "tpu"])
  }
}
