#!/bin/sh
N=3
for i in $(seq 0 $((N - 1))); do
  gcloud container node-pools create "slice-$i" --cluster=c1 --zone=us-central2-b \
    --machine-type=ct4p-hightpu-4t --tpu-topology=2x2x6 --num-nodes=6 &
done
wait
