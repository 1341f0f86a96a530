#!/bin/sh
GEN=$1
case "$GEN" in
  v5p) MACHINE=ct5p-hightpu-4t; ZONE=us-west4-b ;;
  *) echo "unknown: $GEN"; exit 2 ;;
esac
gcloud container node-pools create tpu --cluster=c1 --location=us-west4 \
  --node-locations="$ZONE" --machine-type="$MACHINE" --num-nodes=1 --tpu-topology=2x2x1
