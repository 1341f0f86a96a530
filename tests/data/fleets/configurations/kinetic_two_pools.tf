# Two node pools in the shape in which kinetic asks the API for them: names of the accelerator, limits for each zone.
resource "google_container_cluster" "cluster" {
  name                = "kinetic-cluster"
  location            = "us-central1-a"
  initial_node_count  = 1
  deletion_protection = false
  ip_allocation_policy {}
}

resource "google_container_node_pool" "pool" {
  for_each           = { "pool-v5litepod-4" = "ct5lp-hightpu-4t", "pool-v6e-8" = "ct6e-standard-8t" }
  name               = each.key
  cluster            = google_container_cluster.cluster.name
  location           = google_container_cluster.cluster.location
  initial_node_count = 0
  autoscaling {
    min_node_count = 0
    max_node_count = 1
  }
  node_config {
    machine_type = each.value
    spot         = each.key == "pool-v6e-8"
    oauth_scopes = ["https://www.googleapis.com/auth/cloud-platform"]
    labels       = { keras-remote = "true" }
  }
}
