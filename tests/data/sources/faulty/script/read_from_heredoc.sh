#!/usr/bin/env bash
while read -r name topology hosts; do
  gcloud container node-pools create "$name" --cluster=c1 --location=us-east5 --node-locations=us-east5-b \
    --machine-type=ct6e-standard-4t --tpu-topology="$topology" --num-nodes="$hosts"
done <<EOF
small 2x4 2
wrong 4x3 3
EOF
