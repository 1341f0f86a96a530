"""The standards of an organization, as a file contains them."""
