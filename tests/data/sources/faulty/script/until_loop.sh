#!/usr/bin/env bash
# Try until a slice is there.
set -uo pipefail
tries=0
until gcloud beta container node-pools create v5p-24 \
        --cluster research --region us-central1 --node-locations us-central1-a \
        --machine-type ct5p-hightpu-4t --tpu-topology 2x3x4 --num-nodes 6 --spot --quiet
do
  tries=$((tries + 1))
  [ "$tries" -ge 20 ] && exit 1
  sleep 60
done
