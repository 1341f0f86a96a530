resource "google_container_cluster" "train" {
  name               = "train"
  location           = "us-east5"
  initial_node_count = 1
  release_channel { channel = "REGULAR" }
}

resource "google_container_node_pool" "trillium" {
  name           = "trillium"
  cluster        = google_container_cluster.train.name
  location       = google_container_cluster.train.location
  node_locations = ["us-east5-b"]
  node_count     = 4
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x4"
  }
  node_config {
    machine_type = "ct6e-standard-4t"
    disk_type    = "hyperdisk-balanced"
    disk_size_gb = 200
    oauth_scopes = ["https://www.googleapis.com/auth/cloud-platform"]
  }
}
