variable "name" {}
variable "topology" {}
variable "hosts" { default = 3 }
resource "google_container_node_pool" "p" {
  name           = var.name
  cluster        = "c1"
  location       = "us-east5"
  node_locations = ["us-east5-b"]

  node_count     = var.hosts
  node_config { machine_type = "ct6e-standard-4t" }
  placement_policy {
    type         = "COMPACT"
    tpu_topology = var.topology
  }
}
