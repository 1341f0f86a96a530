#!/bin/bash
PROJECT_ID=acme-ml
CLUSTER_NAME="${CLUSTER_NAME:-train}"
g() {
  gcloud "$@" ${PROJECT_ID:+--project=${PROJECT_ID}} --quiet
}
g container node-pools create slice-a --cluster "${CLUSTER_NAME}" --location us-east5 \
  --node-locations us-east5-b --machine-type ct6e-standard-4t \
  --tpu-topology 4x3 --num-nodes 3
