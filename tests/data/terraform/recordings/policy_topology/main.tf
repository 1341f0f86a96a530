# A network, a cluster and a slice of Ironwood, whose topology comes from a workload policy.
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
  region  = "us-central1"
}

resource "google_compute_network" "tpu" {
  name                    = "tpu"
  auto_create_subnetworks = false
}

resource "google_compute_subnetwork" "tpu" {
  name          = "tpu"
  network       = google_compute_network.tpu.id
  ip_cidr_range = "10.0.0.0/20"
  region        = "us-central1"

  private_ip_google_access = true
}

resource "google_container_cluster" "tpu" {
  name       = "tpu"
  location   = "us-central1"
  network    = google_compute_network.tpu.name
  subnetwork = google_compute_subnetwork.tpu.name

  initial_node_count       = 1
  remove_default_node_pool = true

  release_channel {
    channel = "RAPID"
  }
  workload_identity_config {
    workload_pool = "my-project.svc.id.goog"
  }
}

resource "google_compute_resource_policy" "cube" {
  name   = "cube"
  region = "us-central1"

  workload_policy {
    type                 = "HIGH_THROUGHPUT"
    accelerator_topology = "4x4x8"
  }
}

resource "google_container_node_pool" "cube" {
  name       = "cube"
  cluster    = google_container_cluster.tpu.name
  location   = google_container_cluster.tpu.location
  node_count = 16

  node_locations = ["us-central1-c"]

  node_config {
    machine_type = "tpu7x-standard-4t"
    disk_type    = "hyperdisk-balanced"
    reservation_affinity {
      consume_reservation_type = "SPECIFIC_RESERVATION"
      key                      = "compute.googleapis.com/reservation-name"
      values                   = ["projects/my-project/reservations/cubes"]
    }
  }

  placement_policy {
    type        = ""
    policy_name = google_compute_resource_policy.cube.name
  }
}
