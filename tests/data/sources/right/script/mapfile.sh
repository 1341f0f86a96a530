#!/usr/bin/env bash
mapfile -t SPECS <<'EOF'
a;ct6e-standard-4t
b;ct6e-standard-8t
EOF
for spec in "${SPECS[@]}"; do
  name="${spec%%;*}"
  machine="${spec##*;}"
  gcloud container node-pools create "$name" --cluster c1 --region us-east5 --node-locations us-east5-b --machine-type "$machine" --num-nodes 1
done
