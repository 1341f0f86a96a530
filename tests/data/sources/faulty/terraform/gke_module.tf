module "gke" {
  source            = "terraform-google-modules/kubernetes-engine/google"
  version           = "~> 36.0"
  project_id        = "acme-ml"
  name              = "train"
  region            = "us-east5"
  network           = "default"
  subnetwork        = "default"
  ip_range_pods     = ""
  ip_range_services = ""
  node_pools = [
    {
      name           = "tpu"
      machine_type   = "ct6e-standard-4t"
      node_locations = "us-east5-b"
      autoscaling    = false
      node_count     = 1
      disk_type      = "pd-balanced"
    },
  ]
}
