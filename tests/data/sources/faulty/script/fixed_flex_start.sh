#!/bin/bash
gcloud container node-pools create flex --cluster=c1 --location=us-east5 --node-locations=us-east5-b \
  --machine-type=ct6e-standard-4t --tpu-topology=4x4 --flex-start --num-nodes=4 --reservation-affinity=none
