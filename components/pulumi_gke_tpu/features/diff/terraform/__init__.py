"""What a plan of Terraform does to TPU node pools and clusters, in the words of a change of plans."""
