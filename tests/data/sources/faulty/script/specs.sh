#!/bin/bash
SPECS=("a 4x4 4" "b 4x3 3")
for spec in "${SPECS[@]}"; do
  set -- $spec
  gcloud container node-pools create "pool-$1" --cluster=c1 --location=us-east5 --node-locations=us-east5-b \
    --machine-type=ct6e-standard-4t --tpu-topology=$2 --num-nodes=$3
done
