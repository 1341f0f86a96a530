variable "fast" { type = bool }
resource "google_container_node_pool" "slice" {
  name           = "slice"
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = 2
  node_config {
    machine_type = "ct6e-standard-4t"
    disk_type    = var.fast ? "pd-ssd" : "pd-balanced"
  }
}
