"""Take over what exists: a plan, a program and an import file that change nothing."""
