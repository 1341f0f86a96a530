resource "google_container_node_pool" "hosts" {
  name           = "hosts"
  cluster        = "train"
  location       = trimsuffix(local.zone, "-b")
  node_locations = [local.zone]
  node_count     = 1
  node_config { machine_type = local.machine }
}
