#!/usr/bin/env bash
CHIPS=16
CHIPS_PER_HOST=8
HOSTS=$(( CHIPS / CHIPS_PER_HOST ))
gcloud container node-pools create trainer --cluster=c1 --location=us-east5 --node-locations=us-east5-b \
  --machine-type=ct6e-standard-4t --tpu-topology=4x4 --num-nodes="$HOSTS"
