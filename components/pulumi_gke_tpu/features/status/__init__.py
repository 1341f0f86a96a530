"""The problems of a fleet, from a folder with what gcloud and kubectl print about it."""
