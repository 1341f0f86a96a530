CLUSTER=train
REGION=us-east5
ZONE=us-east5-b
MACHINE_TYPE=ct6e-standard-4t
TOPOLOGY=4x4
