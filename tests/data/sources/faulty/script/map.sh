#!/bin/bash
declare -A TOPOLOGY=(
  [eval]=2x4
  [train]=4x3
)
declare -A HOSTS=([eval]=2 [train]=3)
for pool in "${!TOPOLOGY[@]}"; do
  gcloud container node-pools create "$pool" --cluster c1 --location us-east5 --node-locations us-east5-b \
    --machine-type ct6e-standard-4t --tpu-topology "${TOPOLOGY[$pool]}" --num-nodes "${HOSTS[$pool]}"
done
