resource "google_container_cluster" "serve" {
  name             = "serve"
  location         = "us-east5"
  enable_autopilot = true
  node_config { service_account = "nodes@acme-ml.iam.gserviceaccount.com" }
}

resource "google_container_node_pool" "host" {
  name           = "host"
  cluster        = google_container_cluster.serve.id
  node_locations = ["us-east5-b"]
  node_count     = 1
  node_config {
    machine_type = "ct6e-standard-4t"
    reservation_affinity { consume_reservation_type = "NO_RESERVATION" }
  }
}
