#!/usr/bin/env bash
# pools.csv: name,topology,hosts
while IFS=, read -r name topology hosts; do
  [[ -z "$name" ]] && continue
  gcloud container node-pools create "$name" \
    --cluster=c1 --location=us-east5 --node-locations=us-east5-b \
    --machine-type=ct6e-standard-4t \
    --tpu-topology="$topology" \
    --num-nodes="$hosts" \
    --disk-type=pd-ssd
done < pools.csv
