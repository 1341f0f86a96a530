"""Policies for any Pulumi program: the rules that hold for raw node pools and clusters, as a CrossGuard pack.

Only ``pack`` needs ``pulumi_policy``; everything else checks plain data.
"""
