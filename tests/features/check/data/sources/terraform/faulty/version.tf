# TPU232 version
resource "google_container_node_pool" "ironwood" {
  cluster        = "train"
  location       = "us-central1"
  node_locations = ["us-central1-c"]
  node_count     = 1
  version        = "1.31.5-gke.1023000"
  node_config { machine_type = "tpu7x-standard-4t" }
}
