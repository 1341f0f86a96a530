#!/bin/bash
# Loop over pools; the topology comes from a default.
TOPOLOGY=${TOPOLOGY:-4x3}
for i in {0..1}; do
  gcloud container node-pools create "slice-$i" \
    --cluster=prod --location=us-east5 --node-locations=us-east5-b \
    --machine-type=ct6e-standard-4t \
    --tpu-topology="$TOPOLOGY"
done
