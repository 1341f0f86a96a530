"""Writes plans in the languages of other tools: Terraform and OpenTofu."""
