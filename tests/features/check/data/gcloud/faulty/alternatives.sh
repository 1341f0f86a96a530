#!/usr/bin/env bash
# Whoever starts it chooses the capacity; both ways have a disk that v6e does not take.
if [ "$1" = spot ]; then
  gcloud container node-pools create tpu --cluster=c --location=us-east5 --node-locations=us-east5-b \
    --machine-type=ct6e-standard-4t --tpu-topology=4x4 --num-nodes=4 --spot --disk-type=pd-ssd
else
  gcloud container node-pools create tpu --cluster=c --location=us-east5 --node-locations=us-east5-b \
    --machine-type=ct6e-standard-4t --tpu-topology=4x4 --num-nodes=4 --disk-type=pd-standard \
    --reservation-affinity=specific --reservation=projects/acme-ml/reservations/r/reservationBlocks/b1
fi
