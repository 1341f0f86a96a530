# TPU103 node_config.machine_type
resource "google_container_node_pool" "pool" {
  cluster        = module.gke.name
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = 1
  node_config {
    /* four chips */
    machine_type = "ct6e-standard-2t" // per host
    disk_type    = "hyperdisk-balanced"
  }
}
