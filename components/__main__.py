"""The plugin, as Pulumi starts it from a checkout of this repository."""

from pulumi_gke_tpu.features.plugin import main

if __name__ == "__main__":
    main()
