variable "v6e" { type = bool }
resource "google_container_node_pool" "hosts" {
  name           = "hosts"
  cluster        = "train"
  location       = "us-central1"
  node_locations = [var.v6e ? "us-central1-b" : "us-central1-a"]
  node_count     = 1
  node_config {
    machine_type = var.v6e ? "ct6e-standard-4t" : "ct5lp-hightpu-4t"
    disk_type    = var.v6e ? "hyperdisk-balanced" : "pd-balanced"
  }
}
