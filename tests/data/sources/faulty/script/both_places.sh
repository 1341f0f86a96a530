gcloud container node-pools create tpu --cluster=c1 --region=us-east5 --zone=us-east5-b \
  --machine-type=ct6e-standard-4t --num-nodes=1
