gcloud container clusters create nap --location us-east5 --enable-autoprovisioning --max-cpu 1000 --max-memory 8000 \
  --max-accelerator type=tpu-v6e,count=64 --autoprovisioning-locations us-east5-b
