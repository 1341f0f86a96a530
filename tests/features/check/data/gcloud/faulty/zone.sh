POOL_ARGS=(
  --cluster=prod
  --location=us-west1
  # v6e is not there
  --node-locations=us-west1-c
  --machine-type=ct6e-standard-4t
  --tpu-topology=2x4
)
gcloud container node-pools create pool "${POOL_ARGS[@]}" --num-nodes=2
