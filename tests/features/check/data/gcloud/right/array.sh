declare -A CHIPS=([2x4]=8 [4x4]=16)
POOLS=(2x4 4x4)
for shape in "${POOLS[@]}"; do
  gcloud container node-pools create "tpu-${shape}" --cluster=c --location=us-east5 --node-locations=us-east5-b \
    --machine-type=ct6e-standard-4t --tpu-topology="$shape" --num-nodes=$(( CHIPS[$shape] / 4 ))
done
n=0
while [ "$n" -lt 3 ]; do
  gcloud container node-pools create "w-$n" --cluster=c --location=us-east5 --node-locations=us-east5-b --machine-type=ct6e-standard-4t --tpu-topology=4x4
  n=$((n + 1))
done
