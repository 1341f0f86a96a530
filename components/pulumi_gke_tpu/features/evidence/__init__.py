"""What a run on GKE shows of the facts that only GKE knows."""
