# Two pools that gcloud made: the plan imports them and changes nothing.
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

import {
  to = google_container_node_pool.made["reserved"]
  id = "projects/my-project/locations/us-east5/clusters/training/nodePools/reserved"
}

import {
  to = google_container_node_pool.elastic
  id = "my-project/us-east5/training/elastic"
}

resource "google_container_node_pool" "made" {
  for_each = toset(["reserved"])

  name       = each.key
  cluster    = "training"
  location   = "us-east5"
  node_count = 4

  node_locations = ["us-east5-b"]

  node_config {
    machine_type = "ct6e-standard-4t"
    gvnic {
      enabled = true
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

resource "google_container_node_pool" "elastic" {
  name     = "elastic"
  cluster  = "training"
  location = "us-east5"

  node_locations = ["us-east5-a"]

  autoscaling {
    min_node_count  = 0
    max_node_count  = 3
    location_policy = "ANY"
  }

  node_config {
    machine_type = "ct5p-hightpu-4t"
    spot         = true
  }
}
