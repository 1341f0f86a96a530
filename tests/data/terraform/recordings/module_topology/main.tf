# A module with for_each and count, called for two sets of slices.
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

module "tpu" {
  source   = "./slices"
  for_each = toset(["blue", "green"])

  name     = each.key
  topology = "4x8"
  sizes    = { small = 1, large = 2 }
  cpu      = 1
}
