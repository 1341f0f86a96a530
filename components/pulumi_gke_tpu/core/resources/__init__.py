"""Clusters, node pools and policies of any tool, as they are written: read from files, with unknown values."""
