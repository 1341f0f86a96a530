resource "google_container_node_pool" "pools" {
  for_each       = { for pool in var.pools : pool.name => pool }
  cluster        = google_container_cluster.train.id
  node_locations = [each.value.zone]
  node_count     = each.value.hosts
  dynamic "placement_policy" {
    for_each = each.value.topology == "" ? [] : [each.value.topology]
    content {
      type         = "COMPACT"
      tpu_topology = placement_policy.value
    }
  }
  node_config {
    machine_type = each.value.machine_type
    disk_type    = try(each.value.disk, null)
  }
}
