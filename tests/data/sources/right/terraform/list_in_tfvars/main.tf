variable "tpu_node_pools" { type = list(object({ zone = string, node_count = number, machine_type = string, topology = string })) }
resource "google_container_node_pool" "tpu" {
  count          = length(var.tpu_node_pools)
  name           = "tpu-${count.index}"
  cluster        = "train"
  location       = "us-east5"
  node_locations = [var.tpu_node_pools[count.index].zone]
  node_count     = var.tpu_node_pools[count.index].node_count
  placement_policy {
    type         = "COMPACT"
    tpu_topology = var.tpu_node_pools[count.index].topology
  }
  node_config { machine_type = var.tpu_node_pools[count.index].machine_type }
}
