"""Resources that Kubernetes objects describe: those of Config Connector, Crossplane and Cluster API."""
