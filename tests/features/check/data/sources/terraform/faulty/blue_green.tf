# TPU421 upgrade_settings.strategy
resource "google_container_node_pool" "upgrades" {
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = 4
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x4"
  }
  upgrade_settings {
    strategy = "BLUE_GREEN"
    blue_green_settings {
      node_pool_soak_duration = "600s"
      standard_rollout_policy { batch_node_count = 1 }
    }
  }
  node_config {
    machine_type = "ct6e-standard-4t"
    disk_type    = "hyperdisk-balanced"
  }
}
