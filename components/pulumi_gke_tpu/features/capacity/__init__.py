"""What an inventory, its quotas and the standards of an organization allow."""
