"""What GKE accepts as the name of a cluster or node pool, and the message about other text."""

import pytest

from pulumi_gke_tpu.core.text.formats.names import gke_name_form, gke_name_like, is_gke_name


@pytest.mark.parametrize("text", ["train", "t", "train-east-2", "a" * 100])
def test_a_name_starts_with_a_letter_and_has_lower_case_letters_digits_and_hyphens(text: str) -> None:
    assert is_gke_name(text)
    assert gke_name_like(text) == text


@pytest.mark.parametrize(
    ("text", "near"),
    [("", ""), ("Train_East", "train-east"), ("2train", "tpu-2train"), ("train-", "train"), ("-", ""), ("tr\n", "tr")],
)
def test_a_text_that_is_not_a_name_has_a_near_one_that_is(text: str, near: str) -> None:
    assert not is_gke_name(text)
    assert gke_name_like(text) == near
    assert not near or is_gke_name(near)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Train_East", "use lower-case letters, digits and hyphens"),
        ("", "use lower-case letters, digits and hyphens"),
        ("2train", "start with a letter, and end with a letter or a digit"),
        ("train-", "start with a letter, and end with a letter or a digit"),
    ],
)
def test_a_message_does_not_ask_for_characters_that_the_name_already_has(text: str, form: str) -> None:
    assert gke_name_form(text) == form
