# TPU207 node_locations
# TPU464 node_locations
resource "google_container_node_pool" "wide" {
  cluster        = google_container_cluster.elsewhere.name
  location       = "us-central1"
  node_locations = ["us-central1-a", "us-central1-b"]
  node_count     = 4
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "2x2x4"
  }
  node_config { machine_type = "ct5p-hightpu-4t" }
}
