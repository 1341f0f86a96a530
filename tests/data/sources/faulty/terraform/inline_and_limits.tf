resource "google_container_cluster" "c" {
  name               = "c1"
  location           = "us-east5"
  initial_node_count = 1
  cluster_autoscaling {
    enabled = true
    dynamic "resource_limits" {
      for_each = { cpu = 64, memory = 512, "tpu-v6e-slices" = 16 }
      content {
        resource_type = resource_limits.key
        maximum       = resource_limits.value
      }
    }
  }
}
