"""Rules about the entries of a plan that declare moves, acknowledgements and acceptances."""
