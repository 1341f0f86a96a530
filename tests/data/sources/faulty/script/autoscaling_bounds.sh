#!/bin/bash
readonly MIN=8 MAX=4
gcloud container node-pools create serve --cluster c1 --location us-central1 --node-locations us-central1-a \
  --machine-type ct5lp-hightpu-4t --enable-autoscaling --min-nodes $MIN --max-nodes $MAX
