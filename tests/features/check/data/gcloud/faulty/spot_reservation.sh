function make_pool {
  sudo gcloud --project=acme container node-pools create "$1" --cluster=prod --region=us-east5 \
    --node-locations=us-east5-a --machine-type=ct5p-hightpu-4t --tpu-topology="$2" --num-nodes="$3" \
    --spot --reservation-affinity=specific --reservation=my-res
}
make_pool train 2x2x2 2
