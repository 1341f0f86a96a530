"""Rules about raw node pools, which no plan can break."""
