config "topology" "string" {
  default = "4x3"
}
zone = "us-east5-b"

resource "cluster" "gcp:container/cluster:Cluster" {
  location = "us-east5"
  initialNodeCount = 1
}

resource "slice" "gcp:container/nodePool:NodePool" {
  cluster = cluster.name
  location = "us-east5"
  nodeLocations = [zone]
  nodeCount = 3
  placementPolicy = {
    type = "COMPACT"
    tpuTopology = topology
  }
  nodeConfig = {
    machineType = "ct6e-standard-4t"
  }
}
