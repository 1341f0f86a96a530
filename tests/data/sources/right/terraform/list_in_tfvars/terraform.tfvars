tpu_node_pools = [
  { zone = "us-east5-b", node_count = 2, machine_type = "ct6e-standard-4t", topology = "2x4" },
  { zone = "us-east5-b", node_count = 4, machine_type = "ct6e-standard-4t", topology = "4x4" },
]
