#!/usr/bin/env bash
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "${HERE}/../env.sh"
gcloud container node-pools create tpu --cluster=c1 --location=us-east5 --node-locations=us-east5-b \
  --machine-type=ct6e-standard-4t --tpu-topology="${TOPOLOGY}" --num-nodes="${HOSTS}"
