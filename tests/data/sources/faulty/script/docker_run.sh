#!/bin/sh
docker run --rm -v "$HOME/.config/gcloud:/root/.config/gcloud" gcr.io/google.com/cloudsdktool/google-cloud-cli:slim \
  gcloud container node-pools create tpu --cluster=c1 --location=us-east5 --node-locations=us-east5-b \
  --machine-type=ct6e-standard-4t --num-nodes=1 --disk-type=pd-ssd
