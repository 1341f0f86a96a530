"""Rules about the pods and volumes of Kubernetes manifests."""
