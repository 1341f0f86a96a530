@echo off
set CLUSTER=c1
gcloud container node-pools create tpu ^
  --cluster=%CLUSTER% --location=us-east5 --node-locations=us-east5-b ^
  --machine-type=ct6e-standard-4t --tpu-topology=4x4 --num-nodes=4
