# terraform-google-kubernetes-engine, private cluster with an account of its own: single hosts with labels, tags,
# metadata and taints of the module.
resource "google_service_account" "nodes" {
  account_id = "tf-gke-ml-1a2b"
}

resource "google_container_cluster" "primary" {
  name                      = "ml"
  location                  = "us-central1"
  node_locations            = ["us-central1-a"]
  description               = "TPUs of the research group"
  deletion_protection       = false
  remove_default_node_pool  = true
  initial_node_count        = 1
  default_max_pods_per_node = 110
  enable_shielded_nodes     = true
  datapath_provider         = "DATAPATH_PROVIDER_UNSPECIFIED"
  resource_labels           = { team = "research" }
  ip_allocation_policy {}
  release_channel {
    channel = "STABLE"
  }
  vertical_pod_autoscaling {
    enabled = true
  }
  private_cluster_config {
    enable_private_nodes   = true
    master_ipv4_cidr_block = "172.16.0.0/28"
  }
  maintenance_policy {
    daily_maintenance_window {
      start_time = "05:00"
    }
  }
  workload_identity_config {
    workload_pool = "my-project.svc.id.goog"
  }
}

resource "google_container_node_pool" "pools" {
  name               = "tpu-hosts"
  cluster            = google_container_cluster.primary.name
  location           = google_container_cluster.primary.location
  initial_node_count = 1
  autoscaling {
    min_node_count = 0
    max_node_count = 3
  }
  management {
    auto_repair  = true
    auto_upgrade = true
  }
  node_config {
    image_type      = "COS_CONTAINERD"
    machine_type    = "ct5lp-hightpu-8t"
    disk_size_gb    = 150
    disk_type       = "pd-ssd"
    service_account = google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    labels          = { cluster_name = "ml", node_pool = "tpu-hosts", purpose = "serving" }
    metadata        = { cluster_name = "ml", node_pool = "tpu-hosts", disable-legacy-endpoints = "true" }
    tags            = ["gke-ml", "gke-ml-tpu-hosts"]
    taint {
      key    = "purpose"
      value  = "serving"
      effect = "NO_SCHEDULE"
    }
    workload_metadata_config {
      mode = "GKE_METADATA"
    }
    shielded_instance_config {
      enable_secure_boot          = false
      enable_integrity_monitoring = true
    }
  }
  lifecycle {
    ignore_changes = [initial_node_count]
  }
  timeouts {
    create = "45m"
    update = "45m"
    delete = "45m"
  }
}
