#!/bin/bash
CLOUDSDK_CORE_PROJECT=acme-ml CLOUDSDK_CONTAINER_CLUSTER=c1 gcloud container node-pools create tpu \
  --zone us-east5-b --machine-type ct6e-standard-16t --num-nodes 1
