#!/bin/bash
if [[ "$1" == big ]]; then
  TOPOLOGY=8x8
  NODES=16
else
  TOPOLOGY=4x4
  NODES=4
fi
gcloud container node-pools create tpu --cluster=c1 --location=us-east5 --node-locations=us-east5-b \
  --machine-type=ct6e-standard-4t --tpu-topology=$TOPOLOGY --num-nodes=$NODES
