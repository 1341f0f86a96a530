resource "google_container_node_pool" "tpu" {
  provider           = google-beta
  count              = length(var.tpu_node_pools)
  name               = "slice-${count.index}"
  cluster            = "c1"
  location           = "us-central2"
  node_locations     = var.tpu_node_pools[count.index].zone
  initial_node_count = var.tpu_node_pools[count.index].node_count
  node_config {
    machine_type = var.tpu_node_pools[count.index].machine_type
  }
  placement_policy {
    type         = "COMPACT"
    tpu_topology = var.tpu_node_pools[count.index].topology
  }
}
