module "slice" {
  source       = "./modules/tpu"
  name         = "slice"
  machine_type = "ct6e-standard-4t"
  topology     = "4x3"
  hosts        = 3
}
