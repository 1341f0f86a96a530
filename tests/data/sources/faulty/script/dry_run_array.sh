#!/usr/bin/env bash
set -euo pipefail
CLUSTER=${CLUSTER:-trillium}
REGION=${REGION:-us-east5}
create_pool() {
  CMD=(
    gcloud container node-pools create "serve"
    --cluster="$CLUSTER"
    --region="$REGION"
    --node-locations="${REGION}-b"
    --machine-type=ct6e-standard-4t
    --num-nodes=2                      # two hosts to begin with
    --disk-type=pd-balanced
  )
  if [ "${DRY_RUN:-false}" = true ]; then
    echo "would run: ${CMD[*]}"
  else
    "${CMD[@]}"
  fi
}
create_pool
