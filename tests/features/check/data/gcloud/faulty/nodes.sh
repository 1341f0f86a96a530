gcloud container node-pools create multi --cluster=prod --location=us-central2 --node-locations=us-central2-b \
  --machine-type=ct4p-hightpu-4t --tpu-topology=2x2x4 --num-nodes=2 && echo done
