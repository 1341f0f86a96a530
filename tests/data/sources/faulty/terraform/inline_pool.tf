resource "google_container_cluster" "train" {
  name     = "train"
  location = "us-east5"
  node_pool {
    name               = "tpu"
    initial_node_count = 1
    node_locations     = ["us-east5-b"]
    node_config {
      machine_type = "ct6e-standard-4t"
      disk_type    = "pd-ssd"
    }
  }
}
