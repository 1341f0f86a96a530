#!/usr/bin/env bash
NAMES=(eval train)
TOPOLOGIES=(2x2x1 2x2x5)
NODES=(1 5)
for i in "${!NAMES[@]}"; do
  gcloud container node-pools create "${NAMES[$i]}" --cluster=c1 --region=us-east5 --node-locations=us-east5-a \
    --machine-type=ct5p-hightpu-4t --tpu-topology="${TOPOLOGIES[i]}" --num-nodes="${NODES[$i]}"
done
