# TPU202 location
resource "google_container_cluster" "auto" {
  name             = "auto"
  location         = "us-east5-b"
  enable_autopilot = true
  description      = <<-EOT
    The cluster of "research" # not a comment
  EOT
}
