#!/usr/bin/env bash
ensure_pool() {
  local pool="$1" topology="$2" nodes=${3:-4}
  if gcloud container node-pools describe "${pool}" --cluster=research --region=us-central1 >/dev/null 2>&1; then
    echo "${pool} is there"; return 0
  fi
  gcloud container node-pools create "${pool}" \
    --cluster=research --region=us-central1 --node-locations=us-central1-a \
    --machine-type=ct5p-hightpu-4t --tpu-topology="${topology}" --num-nodes="${nodes}" || {
      echo "no capacity" >&2
      exit 1
    }
}
ensure_pool big 4x4x4 16
ensure_pool odd 2x2x3 3
