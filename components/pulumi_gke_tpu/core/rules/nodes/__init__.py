"""Rules about nodes: disks, labels, taints, network interfaces."""
