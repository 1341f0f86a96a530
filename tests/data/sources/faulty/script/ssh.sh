#!/bin/bash
ssh bastion "gcloud container node-pools create p --cluster=c1 --zone=us-east5-b --machine-type=ct6e-standard-4t --num-nodes=1 --disk-type=pd-ssd"
