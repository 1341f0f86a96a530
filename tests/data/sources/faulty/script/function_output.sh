#!/bin/bash
select_machine() { case $1 in v6e) echo ct6e-standard-2t;; v5e) echo ct5lp-hightpu-4t;; esac; }
M=$(select_machine v6e)
gcloud container node-pools create p --cluster=c1 --location=us-east5 --node-locations=us-east5-b --machine-type="$M" --num-nodes=1
