#!/usr/bin/env bash
CMD=(
  gcloud container node-pools create serve
  --cluster=train --region=us-east5 --node-locations=us-east5-b
  --machine-type=ct6e-standard-4t --num-nodes=2 --disk-type=hyperdisk-balanced
)
[ "${DRY_RUN:-}" ] && echo "${CMD[*]}" || "${CMD[@]}"
