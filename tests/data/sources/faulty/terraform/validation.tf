variable "machine_type" {
  type = string
  validation {
    condition = startswith(var.machine_type, "ct")
    error_message = "TPU only"
  }
  default = "ct6e-standard-4t"
}
resource "google_container_node_pool" "p" {
  name = "p"
  cluster = "c1"
  location = "us-east5"
  node_locations = ["us-east5-b"]
  autoscaling {
    total_min_node_count = 6
    total_max_node_count = 2
  }
  node_config {
    machine_type = var.machine_type
    disk_type = startswith(var.machine_type, "ct6e") ? "pd-balanced" : "pd-ssd"
  }
}
