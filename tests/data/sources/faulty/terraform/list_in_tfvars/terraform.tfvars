tpu_node_pools = [{
  zone         = "us-east5-b"
  node_count   = 1
  machine_type = "ct6e-standard-4t"
  topology     = "2x2"
  }, {
  zone         = "us-east5-b"
  node_count   = 4
  machine_type = "ct6e-standard-4t"
  topology     = "4x5"
}]
