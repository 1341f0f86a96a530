# terraform-google-kubernetes-engine, public cluster that keeps its default pool: a slice with a placement policy.
resource "google_container_cluster" "primary" {
  name                = "batch"
  location            = "europe-west4-b"
  deletion_protection = false
  ip_allocation_policy {}
  release_channel {
    channel = "REGULAR"
  }
  node_pool {
    name               = "default-pool"
    initial_node_count = 1
    node_config {
      machine_type = "e2-standard-4"
      tags         = ["gke-batch", "gke-batch-default-pool"]
      metadata     = { disable-legacy-endpoints = "true" }
    }
  }
  lifecycle {
    ignore_changes = [node_pool, initial_node_count]
  }
}

resource "google_container_node_pool" "pools" {
  name       = "tpu-slice"
  cluster    = google_container_cluster.primary.name
  location   = google_container_cluster.primary.location
  node_count = 4
  management {
    auto_repair  = true
    auto_upgrade = true
  }
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x4"
  }
  node_config {
    machine_type = "ct5lp-hightpu-4t"
    disk_type    = "pd-balanced"
    labels       = { cluster_name = "batch", node_pool = "tpu-slice" }
    metadata     = { cluster_name = "batch", node_pool = "tpu-slice", disable-legacy-endpoints = "true" }
    tags         = ["gke-batch", "gke-batch-tpu-slice"]
    oauth_scopes = ["https://www.googleapis.com/auth/cloud-platform"]
    shielded_instance_config {
      enable_secure_boot = true
    }
  }
}
