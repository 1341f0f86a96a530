"""The resources that a plan becomes, as plain values."""
