gcloud container node-pools create tpu --cluster=c --location=us-east5 --node-locations=us-east5-b --machine-type=ct6e-standard-4t --tpu-topolgy=4x4 --num-nodes=4
gcloud container node-pools create res --cluster=c --location=us-east5 --node-locations=us-east5-b --machine-type=ct6e-standard-4t --tpu-topology=4x4 --reservation=abc --num-nodes=four
