terraform {
  required_providers {
    google = {
      source = "hashicorp/google"
    }
  }
}

variable "name" {
  type = string
}

variable "topology" {
  type = string
}

variable "sizes" {
  type = map(number)
}

variable "cpu" {
  type = number
}

resource "google_container_node_pool" "slice" {
  for_each = var.sizes

  name       = "${var.name}-${each.key}"
  cluster    = "training"
  location   = "us-east5"
  node_count = 4

  node_locations = ["us-east5-b"]

  node_config {
    machine_type = "ct6e-standard-4t"
    labels = {
      size = each.key
    }
  }

  placement_policy {
    type         = "COMPACT"
    tpu_topology = var.topology
  }
}

resource "google_container_node_pool" "cpu" {
  count = var.cpu

  name       = "${var.name}-cpu-${count.index}"
  cluster    = "training"
  location   = "us-east5"
  node_count = 1

  node_locations = ["us-east5-b"]

  node_config {
    machine_type = "n2-standard-8"
  }
}

output "names" {
  value = { for key, pool in google_container_node_pool.slice : key => pool.name }
}
