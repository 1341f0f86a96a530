#!/bin/bash
gcloud container clusters create train --location=us-east5 --release-channel=regular --num-nodes=1 --node-locations=us-east5-b
gcloud container clusters update train --location=us-east5 \
  --maintenance-window-start=2026-12-05T00:00:00Z \
  --maintenance-window-end=2026-12-05T02:00:00Z \
  --maintenance-window-recurrence='FREQ=WEEKLY;BYDAY=SA'
