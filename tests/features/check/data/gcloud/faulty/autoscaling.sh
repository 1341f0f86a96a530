if ! gcloud container node-pools describe tpu --cluster=prod --location=us-west4 >/dev/null 2>&1; then
  gcloud container node-pools create tpu --cluster=prod --location=us-west4 --node-locations=us-west4-a \
    --machine-type=ct5lp-hightpu-4t --tpu-topology=4x4 --num-nodes=4 --enable-autoscaling --min-nodes=1 --max-nodes=3
fi
