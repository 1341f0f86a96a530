nohup gcloud container node-pools create q --cluster=c --location=us-east5 --node-locations=us-east5-b \
  --machine-type=ct6e-standard-4t --tpu-topology=4x4 --enable-queued-provisioning --reservation-affinity=none \
  --node-labels=cloud.google.com/gke-queued=true --num-nodes=0 --enable-autoscaling --min-nodes=0 --max-nodes=4 \
  --location-policy=ANY --no-enable-autorepair --flex-start
