create_pool() {
  local name=$1 topology=${2:-4x4}
  shift 2
  echo "gcloud container node-pools create $name --tpu-topology=9x9"
  retry 3 gcloud beta container node-pools create "$name" --cluster="${CLUSTER:?}" --location=us-east5 \
    --node-locations=us-east5-b --machine-type=ct6e-standard-4t --tpu-topology="$topology" "$@"
}
create_pool a 4x4 --num-nodes=4
create_pool b 2x4 --num-nodes=2 --spot
for t in 2x4 4x4 8x8; do create_pool "p-$t" "$t" --spot; done
