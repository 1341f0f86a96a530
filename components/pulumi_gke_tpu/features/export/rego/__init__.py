"""Facts of the catalog and a policy in Rego, for conftest and OPA over plans of Terraform."""
