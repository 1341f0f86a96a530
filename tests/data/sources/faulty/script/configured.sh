#!/usr/bin/env bash
set -e
gcloud config set project acme-ml
POOL="tpu-$(date +%s)"
gcloud container node-pools create ${POOL} --cluster c1 --node-locations us-east5-b --machine-type ct6e-standard-4t --tpu-topology 2x6 --num-nodes 3 2>&1 | tee create.log
