module "pool" {
  source       = "git::https://github.com/GoogleCloudPlatform/cloud-foundation-fabric.git//modules/gke-nodepool?ref=v40.0.0"
  project_id   = "acme-ml"
  cluster_name = "c1"
  location     = "us-east5"
  name         = "tpu"
  node_locations = ["us-east5-b"]
  node_count   = { initial = 1 }
  node_config = {
    machine_type = "ct6e-standard-2t"
  }
}
