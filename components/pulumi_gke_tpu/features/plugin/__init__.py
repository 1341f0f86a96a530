"""The components as a Pulumi plugin, through which programs in TypeScript, Go, YAML and other languages create them."""


def main() -> None:
    """Serve the components to the engine that started this process."""
    from pulumi_gke_tpu.features.plugin.provider import serve

    serve()
