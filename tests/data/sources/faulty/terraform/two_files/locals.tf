locals {
  zone    = "us-east5-b"
  machine = coalesce("", "ct6e-standard-2t")
}
