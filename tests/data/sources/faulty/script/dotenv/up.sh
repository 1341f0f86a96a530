#!/bin/bash
set -a; . ./.env; set +a
gcloud container node-pools create tpu --cluster=$CLUSTER --location=us-east5 --node-locations=us-east5-b \
  --machine-type=$MACHINE --num-nodes=1
