variable "pools" {
  type = map(object({
    machine_type = optional(string, "ct6e-standard-4t")
    disk_type    = optional(string, "pd-ssd")
    hosts        = number
  }))
  default = { serve = { hosts = 1 } }
}
resource "google_container_node_pool" "this" {
  for_each       = var.pools
  name           = each.key
  cluster        = "c1"
  location       = "us-east5"
  node_locations = ["us-east5-b"]

  node_count     = each.value.hosts
  node_config {
    machine_type = each.value.machine_type
    disk_type    = each.value.disk_type
  }
}
