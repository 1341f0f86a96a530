# Cluster Toolkit: a slice of Ironwood with a workload policy, and multi-networking with one more interface.
resource "google_compute_network" "network" {
  for_each                = toset(["primary", "second"])
  name                    = "ironwood-${each.key}"
  auto_create_subnetworks = false
}

resource "google_compute_subnetwork" "subnetwork" {
  for_each      = google_compute_network.network
  name          = each.value.name
  network       = each.value.id
  region        = "us-central1"
  ip_cidr_range = each.key == "primary" ? "10.0.0.0/16" : "10.1.0.0/16"
}

resource "google_compute_resource_policy" "policy" {
  name   = "tpu-7x-policy"
  region = "us-central1"
  workload_policy {
    type                 = "HIGH_THROUGHPUT"
    accelerator_topology = "2x2x2"
  }
}

resource "google_container_cluster" "cluster" {
  name                     = "gke-tpu-7x"
  location                 = "us-central1"
  network                  = google_compute_network.network["primary"].id
  subnetwork               = google_compute_subnetwork.subnetwork["primary"].id
  remove_default_node_pool = true
  initial_node_count       = 1
  deletion_protection      = false
  datapath_provider        = "ADVANCED_DATAPATH"
  enable_multi_networking  = true
  resource_labels          = { ghpc_blueprint = "gke-tpu-7x", ghpc_module = "gke-cluster", ghpc_role = "scheduler" }
  ip_allocation_policy {}
  release_channel {
    channel = "RAPID"
  }
}

resource "google_container_node_pool" "slice" {
  name           = "tpu-7x-pool"
  cluster        = google_container_cluster.cluster.name
  location       = google_container_cluster.cluster.location
  node_locations = ["us-central1-c"]
  node_count     = 2
  upgrade_settings {
    strategy        = "SURGE"
    max_surge       = 0
    max_unavailable = 1
  }
  placement_policy {
    type         = ""
    policy_name  = google_compute_resource_policy.policy.name
    tpu_topology = "2x2x2"
  }
  node_config {
    machine_type    = "tpu7x-standard-4t"
    disk_type       = "hyperdisk-balanced"
    disk_size_gb    = 200
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    resource_labels = { ghpc_module = "gke-node-pool", ghpc_role = "compute" }
    gvnic {
      enabled = true
    }
    workload_metadata_config {
      mode = "GKE_METADATA"
    }
    reservation_affinity {
      consume_reservation_type = "NO_RESERVATION"
    }
  }
  network_config {
    additional_node_network_configs {
      network    = google_compute_network.network["second"].name
      subnetwork = google_compute_subnetwork.subnetwork["second"].name
    }
  }
}
