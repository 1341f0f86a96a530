"""A program of somebody else with mistakes that a type checker finds, each on a line that says so."""

import pulumi

from pulumi_gke_tpu import SliceGroupArgs, StandardCluster, TpuSlices

serve: SliceGroupArgs = {"tpu": "v6e", "topologie": "2x2"}  # wrong: no such key
batch: SliceGroupArgs = {"topology": "2x2"}  # wrong: the generation is missing
later: SliceGroupArgs = {"tpu": "v6e", "count": pulumi.Output.from_input(2)}  # wrong: known too late
east = StandardCluster("east", {"project": "acme-ml", "location": "us-east5", "min_version": 1.35})  # wrong: a number
cubes = TpuSlices("cubes", {"project": "acme-ml", "location": "us-central1", "tpu": "tpu7x"})  # wrong: no cluster
hosts: pulumi.Output[str] = cubes.hosts  # wrong: a number
