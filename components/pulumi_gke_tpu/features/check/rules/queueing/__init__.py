"""Rules about queues, quotas and requests of capacity, measured in slices."""
