#!/usr/bin/env bash
gcloud container clusters list --format='value(name,location)' | while read -r cluster location; do
  gcloud container clusters update "$cluster" --location="$location" \
    --maintenance-window-start=2026-12-05T00:00:00Z --maintenance-window-end=2026-12-05T08:00:00Z \
    --maintenance-window-recurrence='FREQ=WEEKLY;BYDAY=SA'
done
