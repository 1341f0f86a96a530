#!/bin/bash
ZONE=us-east5-b
bash -c "gcloud container node-pools create tpu --cluster=c1 --location=us-east5 --node-locations=$ZONE --machine-type=ct6e-standard-4t --num-nodes=4 --tpu-topology=4x5"
