#!/bin/bash
LABELS="team=ml,cloud.google.com/gke-tpu-topology=2x4"
gcloud container node-pools create t --cluster c1 --location us-east5 --node-locations us-east5-b \
  --machine-type ct6e-standard-4t --tpu-topology 2x4 --num-nodes 2 \
  --node-labels "$LABELS" --node-taints google.com/tpu=present:NoSchedule
