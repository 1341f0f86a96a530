resource "google_container_cluster" "train" {
  name               = "train"
  location           = "us-east5"
  initial_node_count = 1
  cluster_autoscaling {
    enabled = true
    dynamic "resource_limits" {
      for_each = { cpu = 2000, memory = 8000, "tpu-v6e" = 64 }
      content {
        resource_type = resource_limits.key
        maximum       = resource_limits.value
      }
    }
  }
}
