"""The email of a service account that a project owns."""


def service_account_email(account_id: str, project: str) -> str:
    """The email of an account. The project of a domain, ``example.com:train``, is ``train.example.com`` there."""
    domain, colon, name = project.rpartition(":")
    return (
        f"{account_id}@{name}.{domain}.iam.gserviceaccount.com"
        if colon
        else f"{account_id}@{name}.iam.gserviceaccount.com"
    )
