"""Rules about objects by themselves, as the API server and the controllers check them."""
