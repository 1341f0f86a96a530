#!/usr/bin/env bash
COMMON=()
COMMON+=("--cluster=c1")
COMMON+=("--location=us-east5" "--node-locations=us-east5-b")
COMMON+=(--disk-type=pd-extreme)
if [ -n "${RESERVATION:-}" ]; then
  COMMON+=("--reservation-affinity=specific" "--reservation=${RESERVATION}")
fi
for hosts in 1 2; do
  gcloud container node-pools create "serve-${hosts}" "${COMMON[@]}" --machine-type=ct6e-standard-8t --num-nodes="${hosts}"
done
