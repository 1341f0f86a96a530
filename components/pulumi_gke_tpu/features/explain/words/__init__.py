"""Explains names from Cloud TPU, GKE, price lists and gke-tpu."""
