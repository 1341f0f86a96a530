variable "machine_type" {}
resource "google_container_node_pool" "pool" {
  cluster        = var.cluster
  node_locations = var.zones
  node_count     = var.topology == "4x4" ? 4 : 8
  placement_policy {
    type         = "COMPACT"
    tpu_topology = var.topology
  }
  node_config {
    machine_type = var.machine_type
    disk_type    = var.disk
  }
}
