locals {
  slices = {
    a = { topology = "4x4", hosts = 4 }
    b = { topology = "8x5", hosts = 10 }
  }
}
module "slices" {
  for_each = local.slices
  source   = "./tpu"
  name     = each.key
  topology = each.value.topology
  hosts    = each.value.hosts
}
