"""The components: thin, and read like ordinary Pulumi code. What they register is derived before."""
