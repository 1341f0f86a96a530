$Cluster = "train"
gcloud container node-pools create slice `
  --cluster=$Cluster --location=us-east5 --node-locations=us-east5-b `
  --machine-type=ct6e-standard-4t --num-nodes=3 `
  --tpu-topology=4x3
