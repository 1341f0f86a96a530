"""Rules about clusters that exist already, in plans and as arguments of ``TpuSlices``."""
