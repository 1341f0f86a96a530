# TPU501 node_config.boot_disk.disk_type
locals {
  pools = { a = 1, b = 2 }
}
resource "google_container_node_pool" "hosts" {
  for_each       = local.pools
  name           = "hosts-${each.key}"
  cluster        = var.cluster
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = each.value
  node_config {
    machine_type = "ct6e-standard-4t"
    boot_disk { disk_type = "pd-balanced" }
    dynamic "taint" {
      for_each = var.taints
      content {
        key    = taint.value.key
        value  = "a"
        effect = "NO_SCHEDULE"
      }
    }
  }
  lifecycle { ignore_changes = [node_count] }
}
