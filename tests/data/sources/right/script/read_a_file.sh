#!/usr/bin/env bash
while IFS=, read -r name machine topology hosts zone; do
  gcloud container node-pools create "$name" --cluster=c1 --location="${zone%-*}" --node-locations="$zone" \
    --machine-type="$machine" --tpu-topology="$topology" --num-nodes="$hosts"
done < pools.csv
