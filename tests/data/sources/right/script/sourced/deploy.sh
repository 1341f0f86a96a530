source ./settings.sh
gcloud container node-pools create tpu --cluster="$CLUSTER" --location="$REGION" --node-locations="$ZONE" \
  --machine-type="$MACHINE_TYPE" --tpu-topology="$TOPOLOGY" --num-nodes=4
