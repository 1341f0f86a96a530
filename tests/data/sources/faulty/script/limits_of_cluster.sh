#!/bin/bash
gcloud container clusters create nap \
  --project="${PROJECT}" --location=us-central1 --release-channel=rapid \
  --enable-autoprovisioning --min-cpu=1 --max-cpu=256 --min-memory=1 --max-memory=2000 \
  --max-accelerator=type=tpu-v5-lite,count=64
