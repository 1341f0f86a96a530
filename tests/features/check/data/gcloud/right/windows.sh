#!/bin/bash
ZONE=us-east5-b
gcloud container node-pools create tpu \
  --cluster=c --location=us-east5 \
  --node-locations=$ZONE --machine-type=ct6e-standard-4t \
  --tpu-topology=4x4 --num-nodes=4
