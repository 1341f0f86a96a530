"""Rules about the objects of operators: JobSet, LeaderWorkerSet, Ray, Pathways, ComputeClass, Kueue."""
