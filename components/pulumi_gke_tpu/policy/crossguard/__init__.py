"""The folder that ``pulumi preview --policy-pack`` takes: ``PulumiPolicy.yaml`` and the program beside it."""
