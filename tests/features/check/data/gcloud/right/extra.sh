# The topology is in a variable that the environment sets.
gcloud container node-pools create a --cluster=c --location=us-east5 --machine-type=ct6e-standard-4t --num-nodes=4 $TPU_FLAGS
gcloud container node-pools create b --cluster=c --location=us-east5 --machine-type=ct6e-standard-4t "${FLAGS[@]}"
gcloud container node-pools create d --cluster=c --location=us-east5 --machine-type=ct6e-standard-4t --num-nodes=4 --flags-file=flags.yaml
