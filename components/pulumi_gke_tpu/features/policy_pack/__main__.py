"""The program of the policy pack: the engine starts it, and it serves the policies."""


def main() -> None:
    """Serve the pack until the engine ends this process."""
    try:
        from pulumi_gke_tpu.features.policy_pack.pack import serve
    except ModuleNotFoundError as missing:
        if missing.name != "pulumi_policy":
            raise
        raise SystemExit("The policy pack requires pulumi-policy: install gke-tpu with the extra `policy`.") from None
    serve()


if __name__ == "__main__":
    main()
