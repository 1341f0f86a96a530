#!/bin/bash
ZONE="us-central1-a"
REGION="${ZONE%-*}"
OTHER="${REGION}-f"
gcloud container node-pools create v6e --cluster=c1 --region="$REGION" --node-locations="$OTHER" \
  --machine-type=ct6e-standard-4t --num-nodes=1
