resource "google_container_node_pool" "hosts" {
  name           = "hosts"
  cluster        = "train"
  location       = "us-west4"
  node_locations = ["us-west4-a"]
  node_count     = 1
  node_config {
    machine_type = "ct5lp-hightpu-4t"
    disk_type    = title("pd") == "Pd" ? "pd-balanced" : "pd-ssd"
  }
}
