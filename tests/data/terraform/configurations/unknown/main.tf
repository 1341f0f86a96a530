# Values that are known after the apply only, and values that must not be shown.
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
  region  = "us-east5"
}

variable "token" {
  type      = string
  default   = "not-to-be-shown"
  sensitive = true
}

resource "terraform_data" "chosen" {
  input = {
    machine_type = "ct6e-standard-4t"
    topology     = "4x4"
    hosts        = 4
  }
}

resource "google_container_node_pool" "slice" {
  name       = "slice"
  cluster    = "training"
  location   = "us-east5"
  node_count = terraform_data.chosen.output.hosts

  node_locations = ["us-east5-b"]

  node_config {
    machine_type = terraform_data.chosen.output.machine_type
    metadata = {
      disable-legacy-endpoints = "true"
      token                    = var.token
    }
  }

  placement_policy {
    type         = "COMPACT"
    tpu_topology = terraform_data.chosen.output.topology
  }
}
