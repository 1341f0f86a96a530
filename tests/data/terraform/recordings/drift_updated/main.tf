# Node pools in a cluster that another tool manages.
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

# One slice of four hosts from a reservation.
resource "google_container_node_pool" "reserved" {
  name       = "reserved"
  cluster    = "training"
  location   = "us-east5"
  node_count = 4

  node_locations = ["us-east5-b"]

  node_config {
    machine_type = "ct6e-standard-4t"
    disk_size_gb = 100
    labels = {
      team = "research"
    }
    reservation_affinity {
      consume_reservation_type = "SPECIFIC_RESERVATION"
      key                      = "compute.googleapis.com/reservation-name"
      values                   = ["v6e-reservation"]
    }
  }

  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x4"
  }
}

# Single hosts, as many as there is work for.
resource "google_container_node_pool" "hosts" {
  name       = "hosts"
  cluster    = "training"
  location   = "us-east5"
  node_count = 2

  node_locations = ["us-east5-b"]

  node_config {
    machine_type = "ct6e-standard-8t"
    spot         = true
  }
}

# One slice that the autoscaler adds and removes as a whole.
resource "google_container_node_pool" "elastic" {
  name     = "elastic"
  cluster  = "training"
  location = "us-east5"

  node_locations     = ["us-east5-a"]
  initial_node_count = 0

  autoscaling {
    min_node_count = 0
    max_node_count = 2
  }

  node_config {
    machine_type = "ct5p-hightpu-4t"
    reservation_affinity {
      consume_reservation_type = "NO_RESERVATION"
    }
  }

  placement_policy {
    type         = "COMPACT"
    tpu_topology = "2x2x2"
  }
}
