#!/bin/bash
ARGS="--cluster=c1 --location=us-central1 --node-locations=us-central1-a"
ARGS+=" --machine-type=ct5p-hightpu-4t"
if [[ "$SPOT" == yes ]]; then ARGS="$ARGS --spot"; fi
cmd="gcloud container node-pools create tpu $ARGS --tpu-topology=2x2x5 --num-nodes=5"
echo "$cmd"
eval "$cmd"
