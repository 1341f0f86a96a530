variable "gen" {
  type    = string
  default = "v5e"
}
locals {
  machines = {
    v5e = "ct5lp-hightpu-2t"
    v6e = "ct6e-standard-4t"
  }
}
resource "google_container_node_pool" "hosts" {
  name           = "hosts"
  cluster        = "train"
  location       = "us-west4"
  node_locations = ["us-west4-a"]
  node_count     = 1
  node_config { machine_type = local.machines[var.gen] }
}
