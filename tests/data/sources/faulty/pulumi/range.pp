config "slices" "int" {
  default = 2
}
resource "slice" "gcp:container/nodePool:NodePool" {
  options { range = slices }
  name = "slice-${range.value}"
  cluster = "c1"
  location = "us-east5"
  nodeLocations = ["us-east5-b"]
  nodeCount = 4
  nodeConfig = {
    machineType = "ct6e-standard-4t"
    diskType = "pd-balanced"
  }
  placementPolicy = { type = "COMPACT", tpuTopology = "4x4" }
}
