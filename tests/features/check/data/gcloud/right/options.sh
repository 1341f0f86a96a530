TOPOLOGY=4x4
while [[ $# -gt 0 ]]; do
  case $1 in
    --topology) TOPOLOGY=$2; shift 2 ;;
    --spot) SPOT="--spot"; shift ;;
    -h|--help) cat <<'USAGE'
usage: gcloud container node-pools create x --tpu-topology=3x3
USAGE
      exit 0 ;;
  esac
done
gcloud container node-pools create tpu --cluster=c --location=us-east5 --node-locations=us-east5-b --machine-type=ct6e-standard-4t --tpu-topology=$TOPOLOGY $SPOT
