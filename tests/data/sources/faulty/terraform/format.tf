locals {
  machine = format("ct%s-standard-%dt", "6e", 2)
}
resource "google_container_node_pool" "hosts" {
  name           = "hosts"
  cluster        = "train"
  location       = "us-east5"
  node_locations = ["us-east5-b"]
  node_count     = 1
  node_config { machine_type = local.machine }
}
