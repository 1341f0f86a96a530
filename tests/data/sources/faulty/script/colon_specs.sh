#!/bin/bash
for spec in a:4x4:4 b:8x5:10; do
  IFS=: read -r name topo nodes <<< "$spec"
  gcloud container node-pools create "$name" --cluster=c1 --location=us-east5 --node-locations=us-east5-b \
    --machine-type=ct6e-standard-4t --tpu-topology="$topo" --num-nodes="$nodes"
done
