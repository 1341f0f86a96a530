"""The components as a Pulumi plugin, through which programs in TypeScript, Go, YAML and other languages create them."""


def main() -> None:
    """Serve the components to the engine that started this process."""
    try:
        from pulumi_gke_tpu.features.plugin.provider import serve
    except ModuleNotFoundError as missing:
        if missing.name not in ("grpc", "pulumi", "pulumi_gcp"):
            raise
        raise SystemExit("The components require the Pulumi SDK: install gke-tpu with the extra `pulumi`.") from None
    serve()
