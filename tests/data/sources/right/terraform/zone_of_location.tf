resource "google_container_node_pool" "v4" {
  name       = "v4"
  cluster    = "train"
  location   = "us-central2-b"
  node_count = 1
  node_config {
    machine_type = "ct4p-hightpu-4t"
    reservation_affinity { consume_reservation_type = "NO_RESERVATION" }
  }
}
