variable "accelerator" { default = "ct5p:hightpu:3t" }
resource "google_container_node_pool" "p" {
  name           = "p"
  cluster        = "c1"
  location       = "us-central1"
  node_locations = [format("%s-%s", "us-central1", "a")]
  node_count     = 1
  node_config {
    machine_type = join("-", [for part in split(":", var.accelerator) : lower(part)])
  }
}
