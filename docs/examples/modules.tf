module "gke" {
  source = "./modules/gke"
}
