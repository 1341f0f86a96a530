resource "google_container_node_pool" "p" {
  name           = "p"
  cluster        = "c1"
  location       = "us-east5"
  node_locations = ["us-east5-b"]

  autoscaling {
    min_node_count = 5
    max_node_count = 2
  }
  node_config {
    machine_type = "ct6e-standard-4t"
    taint {
      key    = "google.com/tpu"
      value  = "present"
      effect = "NO_SCHEDULE"
    }
  }
}
