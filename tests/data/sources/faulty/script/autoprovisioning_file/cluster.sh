#!/bin/bash
gcloud container clusters create train --location=us-east5 --enable-autoprovisioning \
  --autoprovisioning-config-file=nap.yaml --release-channel=regular --num-nodes=1
