"""One folder for each feature: its model, rules, writers and commands."""
