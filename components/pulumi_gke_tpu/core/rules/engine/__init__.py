"""What a rule is, how rules are found and run, and their examples."""
