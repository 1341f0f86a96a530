# TPU112 placement_policy.tpu_topology
terraform {
  required_providers {
    google = { source = "hashicorp/google", version = "~> 7.0" }
  }
}

variable "project" { type = string }

resource "google_container_cluster" "train" {
  project                  = var.project
  name                     = "train"
  location                 = "us-east5"
  initial_node_count       = 1
  remove_default_node_pool = true
}

resource "google_container_node_pool" "trillium" {
  project        = var.project
  name           = "trillium"
  cluster        = google_container_cluster.train.id
  node_locations = ["us-east5-b"]
  node_count     = 3

  placement_policy {
    type         = "COMPACT"
    tpu_topology = "4x3"
  }

  node_config {
    machine_type = "ct6e-standard-4t"
    disk_type    = "hyperdisk-balanced"
    labels       = merge(local.labels, { team = "speech" })
  }
}
