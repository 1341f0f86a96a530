variable "pools" { type = list(map(string)) }
module "gke" {
  source     = "terraform-google-modules/kubernetes-engine/google//modules/private-cluster"
  project_id = "acme-ml"
  name       = "train"
  region     = "us-east5"
  network    = "default"
  subnetwork = "default"
  ip_range_pods = ""
  ip_range_services = ""
  node_pools = var.pools
}
