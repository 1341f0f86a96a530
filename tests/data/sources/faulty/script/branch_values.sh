#!/bin/bash
GENERATION=${1:?generation}
if [[ "$GENERATION" == "v6e" ]]; then
  MACHINE_TYPE="ct6e-standard-4t"
  DISK_TYPE="pd-balanced"
elif [[ "$GENERATION" == "v5p" ]]; then
  MACHINE_TYPE="ct5p-hightpu-4t"
  DISK_TYPE="pd-balanced"
fi
gcloud container node-pools create serving --cluster=c1 --location=us-east5 \
  --node-locations=us-east5-b \
  --machine-type="${MACHINE_TYPE}" \
  --disk-type="${DISK_TYPE}" \
  --num-nodes=1
