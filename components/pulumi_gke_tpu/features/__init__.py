"""One folder for each feature: its model, rules, output and commands."""
