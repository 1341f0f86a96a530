gcloud container clusters create old --location=us-east5 --cluster-version=1.27.3-gke.100 --release-channel=None --num-nodes=1
gcloud container node-pools create v6e --cluster=old --location=us-east5 --node-locations=us-east5-b --machine-type=ct6e-standard-4t --tpu-topology=4x4 --num-nodes=4
