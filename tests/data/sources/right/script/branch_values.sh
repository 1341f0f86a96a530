#!/bin/bash
# Every branch sets values that belong together, and two branches are independent of each other.
GENERATION=${1:?generation}
if [[ "$GENERATION" == "v6e" ]]; then
  MACHINE_TYPE="ct6e-standard-4t" DISK_TYPE="hyperdisk-balanced" ZONE=us-east5-b
elif [[ "$GENERATION" == "v5p" ]]; then
  MACHINE_TYPE="ct5p-hightpu-4t" DISK_TYPE="pd-balanced" ZONE=us-east5-a
else
  exit 1
fi
ARGS="--cluster=c1 --location=us-east5 --num-nodes=1"
[[ -n "$SPOT" ]] && ARGS="$ARGS --spot"
gcloud container node-pools create serving $ARGS --node-locations="$ZONE" \
  --machine-type="${MACHINE_TYPE}" --disk-type="${DISK_TYPE}"
TOPOLOGY=2x4 NODES=2
if [[ -n "$BIG" ]]; then TOPOLOGY=4x4 NODES=4; fi
if [[ -n "$BIG" ]]; then NAME=big; else NAME=small; fi
gcloud container node-pools create "$NAME" --cluster=c1 --location=us-east5 --node-locations=us-east5-b \
  --machine-type=ct6e-standard-4t --tpu-topology="$TOPOLOGY" --num-nodes="$NODES"
