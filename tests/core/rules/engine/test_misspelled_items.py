"""Which item a misspelled entry means: never another one."""

import pytest

from pulumi_gke_tpu.core.rules.entries.acceptances import MisspelledItems


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("train/mian", "train/main"),
        ("train/man", None),  # a part of three letters
        ("train/mains", "train/main"),
        ("train/maim", "train/main"),
        ("Train/main", "train/main"),
        ("trian/main", "train/main"),
        ("train.main", "train/main"),
        ("train/mainx1", None),
        ("train/ainm", None),
        ("train_serve", "train-serve"),
        ("train/serve", None),
        ("trane-serfe", None),  # two slips
        ("batch-2", None),
        ("batch-12", None),
        ("batches-1", None),
        ("batsh-1", "batch-1"),
        ("pool1", None),
        ("poool2", "pool2"),
        ("score", None),  # scores and store are equally near
        ("zone-us", None),
        ("", None),
        ("train" * 50, None),
    ],
)
def test_a_misspelling_is_one_slip_and_never_another_name(word: str, name: str | None) -> None:
    items = ["train", "train/main", "train-serve", "batch-1", "pool2", "scores", "store", "zone-eu", "train" * 50 + "s"]
    assert MisspelledItems(items).meant(word) == name


def test_only_the_first_lookups_compare_names() -> None:
    misspelled = MisspelledItems(["train"])
    assert [misspelled.meant("trian") for _ in range(21)] == ["train"] * 20 + [None]
