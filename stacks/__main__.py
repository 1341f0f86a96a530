"""The program of all stacks: it creates the clusters and slices of the plan in the folder of the stack."""

import datetime
import pathlib

import pulumi

from pulumi_gke_tpu import TpuFleet, load_plan

stack = pulumi.get_stack()
today = datetime.datetime.now(datetime.timezone.utc).date()
plan = load_plan(pathlib.Path(__file__).parent / stack / "plan.yaml", today=today)

fleet = TpuFleet(stack, plan)

pulumi.export("kubeconfig_commands", fleet.kubeconfig_commands)
