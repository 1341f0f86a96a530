tpu_node_pools = [{
  zone         = ["us-central2-b"]
  node_count   = 4
  machine_type = "ct4p-hightpu-4t"
  topology     = "2x2x4"
  }, {
  zone         = ["us-central2-b"]
  node_count   = 3
  machine_type = "ct4p-hightpu-4t"
  topology     = "2x2x3"
}]
