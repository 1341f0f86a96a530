gcloud container node-pools create v4 --cluster train --zone us-central1-a --machine-type ct4p-hightpu-4t --num-nodes 1
