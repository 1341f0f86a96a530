resource "google_container_node_pool" "hosts" {
  count          = 2
  name           = format("hosts-%d", count.index)
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  autoscaling {
    total_min_node_count = 0
    total_max_node_count = 8
  }
  node_config {
    machine_type = "ct6e-standard-8t"
    disk_type    = "hyperdisk-balanced"
    spot         = true
    taint {
      key    = "dedicated"
      value  = "tpu"
      effect = "NO_SCHEDULE"
    }
  }
}
