"""How arguments and findings name standard input."""

STDIN = "-"
STDIN_NAME = "<stdin>"
