#!/usr/bin/env bash
for ((i = 0; i < 2; i++)); do
  gcloud container node-pools create pool-${i} --cluster=c1 --location=us-east5 --node-locations=us-east5-b \
    --machine-type=ct6e-standard-1t --num-nodes=1 --max-pods-per-node=300
done
