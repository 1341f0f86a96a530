"""Finds texts of failures of the catalog in what tools, APIs and objects say."""
