gcloud container clusters create c --location=us-east5 --release-channel=regular --num-nodes=1 \
  --maintenance-window-start=2026-12-05T00:00:00Z --maintenance-window-end=2026-12-05T01:00:00Z \
  --maintenance-window-recurrence='FREQ=WEEKLY;BYDAY=SA' \
  --add-maintenance-exclusion-name=run --add-maintenance-exclusion-start=2026-12-01T00:00:00Z \
  --add-maintenance-exclusion-end=2027-12-20T00:00:00Z --add-maintenance-exclusion-scope=no_upgrades
