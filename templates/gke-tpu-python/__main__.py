"""The clusters and TPU slices of a plan."""

import datetime
import pathlib

import pulumi

from pulumi_gke_tpu import TpuFleet, load_plan

today = datetime.datetime.now(datetime.timezone.utc).date()
plan = load_plan(pathlib.Path(__file__).parent / "plan.yaml", today=today)
fleet = TpuFleet(pulumi.get_stack(), plan)

pulumi.export("kubeconfig_commands", fleet.kubeconfig_commands)
