"""A repository on loopback, and a client that remembers how long it would have waited."""

from collections.abc import Callable, Iterator

import pytest
from support.github_standin import REPOSITORY, TOKEN, Repository, serving

from pulumi_gke_tpu.features.diff.github import GitHub

Client = Callable[..., GitHub]


@pytest.fixture
def repository() -> Iterator[Repository]:
    with serving() as served:
        yield served


@pytest.fixture
def waits() -> list[float]:
    """The pauses, none of which is really made."""
    return []


@pytest.fixture
def github(repository: Repository, waits: list[float]) -> GitHub:
    return GitHub(REPOSITORY, TOKEN, url=repository.url, wait=waits.append, now=lambda: 1000.0)
