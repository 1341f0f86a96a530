module "cluster" {
  source             = "terraform-google-modules/kubernetes-engine/google//modules/beta-private-cluster"
  project_id         = var.project_id
  name               = "serve"
  region             = "us-west4"
  network            = var.network
  subnetwork         = var.subnetwork
  ip_range_pods      = "pods"
  ip_range_services  = "services"
  node_pools = [
    { name = "cpu", machine_type = "e2-standard-8", min_count = 1, max_count = 3 },
    {
      name               = "v5p"
      machine_type       = "ct5p-hightpu-4t"
      node_locations     = "us-west4-b"
      min_count          = 0
      max_count          = 1
      initial_node_count = 0
      spot               = true
    },
  ]
  node_pools_taints = {
    all = []
  }
}
