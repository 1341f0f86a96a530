"""Rules about clusters: location, network, versions, security, add-ons, auto-provisioning."""
