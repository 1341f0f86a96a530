for spec in "a 4x4 4" "b 8x8 16"; do
  set -- $spec
  gcloud container node-pools create "pool-$1" --cluster=c1 --location=us-east5 --node-locations=us-east5-b \
    --machine-type=ct6e-standard-4t --tpu-topology=$2 --num-nodes=$3
done
