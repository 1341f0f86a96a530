case "$KIND" in
  v5e) MACHINE=ct5lp-hightpu-4t; ZONE=us-west4-a ;;
  v6e) MACHINE=ct6e-standard-4t; ZONE=us-east5-b ;;
esac
if [[ "$USE_SPOT" == "true" ]]; then CAPACITY="--spot"; else CAPACITY="--reservation-affinity=specific --reservation=$RES"; fi
gcloud container node-pools create tpu --cluster=c --location=${ZONE%-*} --node-locations=$ZONE --machine-type=$MACHINE \
  --tpu-topology=4x4 --num-nodes=4 $CAPACITY
