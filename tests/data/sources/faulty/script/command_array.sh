#!/bin/bash
cmd=(gcloud container node-pools create p)
cmd+=(--cluster c1 --zone us-east5-b)
cmd+=(--machine-type ct6e-standard-4t --num-nodes 1)
[[ "${DISK:-pd-ssd}" ]] && cmd+=(--disk-type "${DISK:-pd-ssd}")
echo "+ ${cmd[*]}"
"${cmd[@]}"
