"""Checks of clusters: location, network, versions, security, add-ons, auto-provisioning."""
