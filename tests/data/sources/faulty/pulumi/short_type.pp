resource hosts "gcp:container:NodePool" {
  cluster = "train"
  location = "us-east5"
  nodeLocations = ["us-east5-b"]
  nodeCount = 1
  nodeConfig = {
    machineType = "ct6e-standard-4t",
    diskType    = "pd-ssd"
  }
  options { protect = true }
}
