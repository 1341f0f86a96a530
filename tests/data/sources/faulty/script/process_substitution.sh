#!/bin/bash
while IFS=: read -r n t; do
  nodes=$(( $(echo "$t" | tr x '*' | bc) / 4 ))
  gcloud container node-pools create "$n" --cluster=c1 --zone=us-east5-b --machine-type=ct6e-standard-4t --tpu-topology="$t" --num-nodes=$nodes
done < <(printf 'a:4x4\nb:4x3\n')
