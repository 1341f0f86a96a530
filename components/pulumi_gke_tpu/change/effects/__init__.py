"""What the difference of a resource means for clusters, slices and jobs."""
