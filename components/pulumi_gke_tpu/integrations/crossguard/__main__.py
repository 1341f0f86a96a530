"""Starts the policy pack for projects that name its former folder."""

from pulumi_gke_tpu.features.policy_pack.__main__ import main

if __name__ == "__main__":
    main()
