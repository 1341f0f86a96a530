"""Kinds that gke-tpu only reads in manifests of users. The name of a module is that of the kind in lower case."""
