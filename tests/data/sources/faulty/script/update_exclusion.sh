#!/bin/bash
set -e
CLUSTER=train
gcloud container clusters create $CLUSTER --location=us-east5 --release-channel=regular --num-nodes=1 --node-locations=us-east5-b
gcloud container clusters update $CLUSTER \
  --location=us-east5 \
  --add-maintenance-exclusion-name=launch \
  --add-maintenance-exclusion-start=2026-12-01T00:00:00Z \
  --add-maintenance-exclusion-end=2027-03-20T00:00:00Z \
  --add-maintenance-exclusion-scope=no_upgrades
