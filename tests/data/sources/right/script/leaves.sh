#!/usr/bin/env bash
# Checks that end the script, loops that skip and stop, and gcloud's own variables.
usage() { echo "usage: $0 [v6e|v5p]"; exit 2; }
GENERATION=${1:-v6e}
case "$GENERATION" in
  v6e) MACHINE=ct6e-standard-4t; ZONE=us-east5-b ;;
  cpu) MACHINE=""; usage ;;
  *) MACHINE=none; ZONE=none; usage ;;
esac
if [ -z "$CLUSTER" ]; then CLUSTER=c1; fi
export CLOUDSDK_CORE_PROJECT=acme-ml
for name in skip serve stop never; do
  [[ $name == skip || $name == "" ]] && continue
  if [[ $name == stop ]]; then break; fi
  CLOUDSDK_CONTAINER_CLUSTER=$CLUSTER gcloud container node-pools create "$name" --location=us-east5 \
    --node-locations="$ZONE" --machine-type="$MACHINE" --num-nodes=1 || { echo failed; exit 1; }
done
printf '%s\n' "a 2x4 2" "# b 4x3 3" | grep -v '^#' | while read -r name topology nodes; do
  gcloud container node-pools create "$name" --cluster=c1 --location=us-east5 --node-locations=us-east5-b \
    --machine-type=ct6e-standard-4t --tpu-topology="$topology" --num-nodes="$nodes"
done
