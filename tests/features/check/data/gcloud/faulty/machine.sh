gcloud container node-pools create m --cluster=c --location=us-east5 --node-locations=us-east5-b --machine-type=ct6e-standard-2t --tpu-topology=4x4 --num-nodes=4
gcloud container node-pools create n --cluster=c --location=us-east5 --node-locations=us-east5-b --machine-type=ct6e-standard-8t --tpu-topology=4x4 --num-nodes=2
