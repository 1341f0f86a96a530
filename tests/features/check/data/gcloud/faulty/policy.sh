gcloud compute resource-policies create workload-policy cube --type=HIGH_THROUGHPUT --accelerator-topology=4x4x4 --region=us-central1
gcloud container node-pools create ironwood --cluster=c --location=us-central1 --node-locations=us-central1-c --machine-type=tpu7x-standard-4t --placement-policy=cube --tpu-topology=2x2x4 --num-nodes=4
