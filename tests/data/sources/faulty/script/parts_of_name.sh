#!/bin/bash
ACCELERATOR=v5p-64
GEN="${ACCELERATOR%%-*}"
MACHINE="ct${GEN#v}-hightpu-8t"
gcloud container node-pools create p --cluster=c1 --region=us-central1 --node-locations=us-central1-a --machine-type="$MACHINE" --num-nodes=1
