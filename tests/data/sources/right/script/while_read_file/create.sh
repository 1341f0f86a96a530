#!/usr/bin/env bash
set -euo pipefail
# name topology nodes
while IFS=$'\t ' read -r name topology nodes; do
  [[ -z "$name" || "$name" == \#* ]] && continue
  gcloud container node-pools create "$name" --cluster=c1 --location=us-east5 \
    --node-locations=us-east5-b --machine-type=ct6e-standard-4t \
    --tpu-topology="$topology" --num-nodes="$nodes"
done < pools.txt
