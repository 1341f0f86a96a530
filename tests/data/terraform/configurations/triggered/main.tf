# A slice that is replaced where its shape changes.
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

resource "terraform_data" "shape" {
  input = {
    machine_type = "ct6e-standard-4t"
    topology     = "4x4"
  }
}

resource "google_container_node_pool" "slice" {
  name       = "slice"
  cluster    = "training"
  location   = "us-east5"
  node_count = 4

  node_locations = ["us-east5-b"]

  node_config {
    machine_type = "ct6e-standard-4t"
  }

  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x4"
  }

  lifecycle {
    replace_triggered_by = [terraform_data.shape]
  }
}
