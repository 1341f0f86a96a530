# Cluster Toolkit: autoscaled spot slices, of which one could not be created: GKE had no capacity.
resource "google_container_cluster" "cluster" {
  name                     = "gke-tpu-spot"
  location                 = "us-west4"
  remove_default_node_pool = true
  initial_node_count       = 1
  deletion_protection      = false
  resource_labels          = { ghpc_module = "gke-cluster", ghpc_role = "scheduler" }
  ip_allocation_policy {}
}

resource "google_container_node_pool" "spot" {
  count              = 2
  name               = "v5e-pool-${count.index}"
  cluster            = google_container_cluster.cluster.name
  location           = google_container_cluster.cluster.location
  node_locations     = ["us-west4-a"]
  initial_node_count = 4
  autoscaling {
    min_node_count  = 0
    max_node_count  = 4
    location_policy = "ANY"
  }
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x4"
  }
  node_config {
    machine_type    = "ct5lp-hightpu-4t"
    spot            = true
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    resource_labels = { ghpc_module = "gke-node-pool", ghpc_role = "compute" }
  }
}
