set -euo pipefail
PROJECT=$(gcloud config get-value project)
gcloud container clusters create train --project "$PROJECT" --location us-east5 --release-channel rapid \
  --workload-pool "${PROJECT}.svc.id.goog" --enable-dataplane-v2 --enable-multi-networking --enable-ip-alias \
  --addons GcsFuseCsiDriver --machine-type e2-standard-8 --num-nodes 1 --enable-autoscaling --min-nodes 1 --max-nodes 3 \
  --enable-autoprovisioning --autoprovisioning-locations us-east5-b --max-cpu 10000 --max-memory 50000 \
  --max-accelerator type=tpu-v6e-slice,count=256 --enable-autoprovisioning-autorepair --enable-autoprovisioning-autoupgrade
gcloud container node-pools delete default-pool --cluster train --quiet
