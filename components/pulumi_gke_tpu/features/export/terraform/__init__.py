"""The resources of a plan as a Terraform module, from the graph that Pulumi gets."""
