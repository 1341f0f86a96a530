variable "machine_type" { type = string }
variable "zones" { type = list(string) }
resource "google_container_node_pool" "p" {
  name           = "p"
  cluster        = "c1"
  location       = "us-east5"
  node_locations = var.zones
  node_count     = 1
  node_config { machine_type = var.machine_type }
}
