#!/bin/bash
printf '%s\n' one two | xargs -I{} gcloud container node-pools create {} --cluster=c1 --location=us-east5 --node-locations=us-east5-b --machine-type=ct6e-standard-2t --num-nodes=1
