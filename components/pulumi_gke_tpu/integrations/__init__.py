"""What connects to other systems: CrossGuard, the plugin protocol, GitHub."""
