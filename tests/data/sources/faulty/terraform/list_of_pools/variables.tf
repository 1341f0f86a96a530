variable "tpu_node_pools" {
  type = list(object({
    zone         = list(string)
    node_count   = number
    machine_type = string
    topology     = string
    policy       = optional(string)
    disk_type    = optional(string, "pd-balanced")
  }))
}
