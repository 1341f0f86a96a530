#!/bin/zsh
for i in {0..3}; do
  gcloud beta container node-pools create v5e-$i --cluster train --region us-west4 --node-locations us-west4-a \
    --machine-type ct5lp-hightpu-4t --tpu-topology 4x4 --num-nodes 4 --spot --disk-size 200
done
