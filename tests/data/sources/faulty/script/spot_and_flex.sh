#!/bin/bash
gcloud container node-pools create tpu --cluster=c1 --location=us-east5 --node-locations=us-east5-b \
  --machine-type=ct6e-standard-4t --tpu-topology=4x4 --num-nodes=0 --enable-autoscaling \
  --min-nodes=0 --max-nodes=4 --reservation-affinity=none --spot \
  --flex-start
