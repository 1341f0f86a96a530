"""Fleets that the real provider makes in the stand-in of the APIs, and the answer about them afterwards.

``tools/fleet_recordings.py`` writes the answers into ``tests/data/fleets``.
"""

import json
import pathlib
from typing import Any

from support.fleets import Fleet
from support.google_apis.server import google_apis
from support.terraform.binaries import Programs
from support.terraform.workspace import Terraform

_PROVIDER = """\
terraform {
  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 8.0"
    }
  }
}

provider "google" {
  project = "my-project"
}
"""


def answer_about(fleet: Fleet, programs: Programs, folder: pathlib.Path) -> str:
    """Apply the configuration of a fleet, and describe its cluster as ``gcloud`` does."""
    assert fleet.configuration is not None
    with google_apis() as google:
        google.knobs.out_of_capacity.update(fleet.out_of_capacity)
        terraform = Terraform(folder, programs, google.url)
        terraform.write({"main.tf": fleet.configuration.read_text("utf-8"), "provider.tf": _PROVIDER})
        terraform.run("apply", "-no-color", "-auto-approve", "-parallelism=1", fails=bool(fleet.out_of_capacity))
        (cluster,) = google.send("GET", "container", "projects/my-project/locations/-/clusters")["clusters"]
        place = cluster["selfLink"].partition("/v1/")[2]
        for pool in fleet.by_api:
            google.send("POST", "container", f"{place}/nodePools", {"nodePool": dict(pool)})
        return _written(google.send("GET", "container", place))


def _written(cluster: dict[str, Any]) -> str:
    """A line for each member, and for each node pool."""
    members = []
    for key, value in cluster.items():
        pools = [json.dumps(pool) for pool in value] if key == "nodePools" else []
        text = "[\n" + ",\n".join(pools) + "\n]" if pools else json.dumps(value)
        members.append(f"{json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(members) + "\n}\n"
