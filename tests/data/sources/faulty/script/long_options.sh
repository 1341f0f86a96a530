#!/usr/bin/env bash
create_pool() {
  local name topology nodes
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --name) name="$2"; shift 2 ;;
      --topology) topology="$2"; shift 2 ;;
      --nodes) nodes="$2"; shift 2 ;;
      *) echo "unknown: $1" >&2; return 1 ;;
    esac
  done
  gcloud container node-pools create "$name" --cluster=c1 --location=us-east5 --node-locations=us-east5-b \
    --machine-type=ct6e-standard-4t --tpu-topology="$topology" --num-nodes="$nodes"
}
create_pool --name small --topology 2x4 --nodes 2
create_pool --name odd --topology 3x4 --nodes 3
