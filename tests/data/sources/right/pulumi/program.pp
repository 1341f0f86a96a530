config "nodes" "int" { default = 4 }
resource "slice" "gcp:container/nodePool:NodePool" {
  cluster = "train"
  location = "us-east5"
  nodeLocations = ["us-east5-b"]
  nodeCount = nodes
  placementPolicy = { type = "COMPACT", tpuTopology = "4x4" }
  nodeConfig = { machineType = "ct6e-standard-4t" }
}
output "pool" { value = slice.name }
