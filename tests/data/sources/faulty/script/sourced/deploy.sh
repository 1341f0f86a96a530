#!/usr/bin/env bash
DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "${DIR}/settings.sh"
gcloud container node-pools create tpu \
  --cluster="${CLUSTER}" --location="${REGION}" --node-locations="${ZONE}" \
  --machine-type="${MACHINE_TYPE}" --tpu-topology="${TOPOLOGY}" --num-nodes=4
