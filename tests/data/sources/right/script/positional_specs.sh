for spec in "v6e-4x4 4x4 4" "v6e-2x4 2x4 2"; do
  set -- $spec
  if ! gcloud container node-pools describe "$1" --cluster=train --region=us-central1 >/dev/null 2>&1; then
    gcloud container node-pools create "$1" --cluster=train --region=us-central1 --node-locations=us-central1-b \
      --machine-type=ct6e-standard-4t --tpu-topology="$2" --num-nodes="$3" --spot
  fi
done
