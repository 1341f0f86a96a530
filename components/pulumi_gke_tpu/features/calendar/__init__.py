"""When GKE can upgrade the nodes of a plan, and which runs that affects."""
