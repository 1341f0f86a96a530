#!/bin/bash
source ./env.sh
read -r -p "Zone? " ZONE
TOPO=$(python3 pick.py)
gcloud container node-pools create "$NAME" --cluster="$CLUSTER" --location="$REGION" --node-locations="$ZONE" \
  --machine-type="$MACHINE" --tpu-topology="$TOPO" --num-nodes="$NODES" --disk-type="$DISK" $EXTRA_FLAGS
gcloud container clusters create "$CLUSTER" --location="$REGION" --release-channel="$CHANNEL" --enable-autoprovisioning \
  --max-cpu=$CPU --max-memory=$MEM --max-accelerator="type=$ACC,count=$COUNT"
