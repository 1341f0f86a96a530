REGION=us-east5
gcloud container clusters create train --region "$REGION" --num-nodes 1
gcloud container node-pools create v6e --cluster train --zone "$REGION-b" --node-locations "$REGION-b" \
  --machine-type ct6e-standard-4t --tpu-topology 4x4 --num-nodes 4
