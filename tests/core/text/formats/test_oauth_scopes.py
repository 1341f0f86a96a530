"""OAuth scopes, short and as addresses."""

from pulumi_gke_tpu.core.text.formats.oauth_scopes import full_scope, short_scope

ADDRESS = "https://www.googleapis.com/auth/logging.write"


def test_a_scope_can_be_written_without_the_address_that_all_share() -> None:
    assert full_scope("logging.write") == full_scope(ADDRESS) == ADDRESS
    assert short_scope(ADDRESS) == short_scope("logging.write") == "logging.write"


def test_other_addresses_stay_as_they_are() -> None:
    assert full_scope("https://mail.example.com/") == short_scope("https://mail.example.com/")
