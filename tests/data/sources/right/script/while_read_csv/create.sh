#!/usr/bin/env bash
tail -n +2 pools.csv | while IFS=, read -r name machine nodes zone; do
  gcloud container node-pools create "$name" --cluster c1 --region us-east5 --node-locations "$zone" --machine-type "$machine" --num-nodes "$nodes"
done
