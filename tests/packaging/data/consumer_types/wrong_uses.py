"""A program of a user with mistakes that a type checker finds, each on a line with a comment."""

import pulumi

import pulumi_gke_tpu
from pulumi_gke_tpu import SliceGroupArgs, StandardCluster, TpuFleet, TpuSlices, load_plan, preview

pulumi_gke_tpu.TpuSlice("train")  # wrong: no such name
preview.run_programme(print)  # wrong: no such name

serve: SliceGroupArgs = {"tpu": "v6e", "topologie": "2x2"}  # wrong: no such key
batch: SliceGroupArgs = {"topology": "2x2"}  # wrong: the generation is missing
later: SliceGroupArgs = {"tpu": "v6e", "count": pulumi.Output.from_input(2)}  # wrong: known too late
many: SliceGroupArgs = {"tpu": "v6e", "topology": "2x2", "count": "2"}  # wrong: text
word: SliceGroupArgs = {"tpu": "v6e", "capacity": "spto"}  # wrong: no such word
kind: SliceGroupArgs = {"tpu": "v7", "topology": "2x2"}  # wrong: no such generation
mode: SliceGroupArgs = {"tpu": "v6e", "driver_mode": "device-plugin"}  # wrong: no such choice
deep: SliceGroupArgs = {"tpu": "v6e", "capacity": {"reservation": {"nam": "a"}}}  # wrong: no such key deep inside

StandardCluster("east", {"project": "acme-ml", "location": "us-east5", "min_version": 1.35})  # wrong: a number
StandardCluster("east", {"project": "acme-ml", "location": "us-east5", "addons": ["gcsfuse"]})  # wrong: no such add-on
StandardCluster("west", {"project": "acme-ml", "location": "us-west1"}, protect=True)  # wrong: no option
StandardCluster("west", project="acme-ml", location="us-west1", protect=True)  # wrong: no such keyword
TpuSlices("cubes", {"project": "acme-ml", "location": "us-central1", "tpu": "tpu7x"})  # wrong: no cluster
TpuFleet("prod", "plan.yaml")  # wrong: a path, which load_plan takes
TpuFleet("prod", load_plan(1))  # wrong: no path

east = StandardCluster("east", project="acme-ml", location="us-east5")
cubes = TpuSlices("cubes", cluster="east", project="acme-ml", location="us-central1", tpu="tpu7x", topology="2x2x2")
fleet = TpuFleet("prod", load_plan("plan.yaml"))
hosts: pulumi.Output[str] = cubes.hosts  # wrong: a number
nodes = cubes.nodes  # wrong: no such output
group: TpuFleet = east.slices["serve"]  # wrong: slices, no fleet
endpoint = fleet.endpoint  # wrong: an output of clusters
