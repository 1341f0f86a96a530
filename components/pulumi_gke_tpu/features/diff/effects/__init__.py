"""The effect of the difference of a resource on clusters, slices and jobs."""
