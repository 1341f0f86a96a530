#!/bin/bash
if gcloud container clusters describe c1 --region us-east5 &>/dev/null; then
  echo exists
else
  gcloud container clusters create c1 --region us-east5 --machine-type e2-standard-4 --num-nodes 1 --cluster-version 1.27
fi
gcloud container node-pools create p --cluster c1 --region us-east5 --node-locations us-east5-b --machine-type ct6e-standard-4t --num-nodes 1 --enable-autoscaling --total-min-nodes 3 --total-max-nodes 1
