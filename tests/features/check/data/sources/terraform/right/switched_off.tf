resource "google_container_node_pool" "old" {
  count          = 0
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_config {
    machine_type = "ct6e-standard-4t"
    disk_type    = "pd-ssd"
  }
}
resource "google_container_node_pool" "cpu" {
  cluster    = "train"
  node_count = 3
  node_config { machine_type = "e2-standard-8" }
}
