"""What plans cost, and which plan to choose."""
