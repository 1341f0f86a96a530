#!/bin/sh
case "$1" in
  v5p) MACHINE=ct5p-hightpu-4t ZONE=us-east5-a TOPOLOGY=2x2x2 ;;
  v6e) MACHINE=ct6e-standard-4t ZONE=us-east5-b TOPOLOGY=2x4 ;;
  *) exit 2 ;;
esac
gcloud container node-pools create tpu --cluster=c1 --location=us-east5 \
  --node-locations="$ZONE" --machine-type="$MACHINE" --num-nodes=2 --tpu-topology="$TOPOLOGY"
