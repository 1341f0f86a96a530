module "gke" {
  source     = "terraform-google-modules/kubernetes-engine/google"
  version    = "~> 36.0"
  project_id = "acme-ml"
  name       = "train"
  region     = "us-east5"
  network    = "default"
  subnetwork = "default"
  ip_range_pods = ""
  ip_range_services = ""
  remove_default_node_pool = true
  node_pools = [
    {
      name         = "cpu"
      machine_type = "e2-standard-8"
      min_count    = 1
      max_count    = 5
      disk_type    = "pd-balanced"
    },
    {
      name           = "tpu"
      machine_type   = "ct6e-standard-4t"
      node_locations = "us-east5-b"
      autoscaling    = false
      node_count     = 1
      disk_type      = "hyperdisk-balanced"
    },
  ]
}
