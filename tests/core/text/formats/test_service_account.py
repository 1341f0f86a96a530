"""The email of a service account."""

import pytest

from pulumi_gke_tpu.core.text.formats.names import service_account_email


@pytest.mark.parametrize(
    ("project", "email"),
    [
        ("acme-ml", "nodes@acme-ml.iam.gserviceaccount.com"),
        ("example.com:acme-ml", "nodes@acme-ml.example.com.iam.gserviceaccount.com"),
    ],
)
def test_the_project_of_a_domain_is_turned_round(project: str, email: str) -> None:
    assert service_account_email("nodes", project) == email
