#!/bin/bash
gcloud container node-pools create reserved \
    --cluster="${CLUSTER:=c1}" \
    --location=us-east5 \
    --node-locations=us-east5-b \
    --machine-type=ct6e-standard-4t \
    --reservation-affinity=specific \
    --num-nodes=1
