#!/bin/bash
export CLUSTER=c1 REGION=us-east5
log() { printf '%s %s\n' "$(date -u +%T)" "$*"; }
die() { log "$@"; exit 1; }
[[ $(gcloud container node-pools list --cluster=$CLUSTER --region=$REGION --format='value(name)' | grep -c '^tpu$') -gt 0 ]] ||
  gcloud container node-pools create tpu --cluster=$CLUSTER --region=$REGION --node-locations=$REGION-b \
    --machine-type=ct6e-standard-4t --tpu-topology=8x3 --num-nodes=6 || die "not created"
