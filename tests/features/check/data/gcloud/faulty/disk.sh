gcloud beta container node-pools create v6e --cluster prod --zone us-east5-b --machine-type ct6e-standard-4t \
    --tpu-topology 4x4 --num-nodes 4 \
    --disk-type pd-ssd --disk-size 100
