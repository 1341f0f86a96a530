"""The shape of a slice group, the reasons why it has none, and the nearest shape that exists."""
