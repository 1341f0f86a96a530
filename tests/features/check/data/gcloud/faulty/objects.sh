gcloud container node-pools create tpu --cluster=c --location=us-east5 --node-locations=us-east5-b --machine-type=ct6e-standard-4t --tpu-topology=4x4 --num-nodes=4
NAME=${1:-train}
kubectl apply -f - <<EOF
apiVersion: batch/v1
kind: Job
metadata:
  name: ${NAME}-${RUN_ID}
spec:
  parallelism: 4
  completions: 4
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 4x3
      containers:
        - name: main
          image: ${IMAGE}
          resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
EOF
