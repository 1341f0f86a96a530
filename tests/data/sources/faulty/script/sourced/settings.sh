export CLUSTER=train
export REGION=us-east5
export ZONE=us-east5-b
export MACHINE_TYPE=ct6e-standard-4t
export TOPOLOGY=4x3
