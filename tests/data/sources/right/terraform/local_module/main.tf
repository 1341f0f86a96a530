module "slice" {
  source   = "./modules/tpu"
  topology = "4x4"
  hosts    = 4
}
module "eval" {
  source   = "./modules/tpu"
  topology = "2x4"
  hosts    = 2
}
