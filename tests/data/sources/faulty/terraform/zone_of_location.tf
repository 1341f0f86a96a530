resource "google_container_node_pool" "v4" {
  name       = "v4"
  cluster    = "train"
  location   = "us-central1-a"
  node_count = 1
  node_config { machine_type = "ct4p-hightpu-4t" }
}
