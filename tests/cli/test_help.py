"""The first call of a newcomer: the command without arguments, and the commands that other tools have."""

from collections.abc import Callable
from typing import Any

import pytest

from pulumi_gke_tpu.cli.commands import command_modules

GkeTpu = Callable[..., Any]


def test_the_command_without_arguments_prints_its_help(gke_tpu: GkeTpu) -> None:
    run = gke_tpu()
    assert (run.code, run.err) == (0, "")
    assert run.out == gke_tpu("--help").out
    assert run.out.startswith("Usage: gke-tpu [OPTIONS]")


def test_the_help_lists_every_command_once_with_its_purpose(gke_tpu: GkeTpu) -> None:
    lines = gke_tpu("--help").out.splitlines()
    starts = [line.split()[0] for line in lines if line.startswith("  ") and line[2:3].islower() and "  " in line[2:]]
    assert sorted(starts) == sorted(command_modules())


def test_an_option_without_a_command_is_an_error(gke_tpu: GkeTpu) -> None:
    assert gke_tpu("--no-such-option").code == 2


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("plan", "Did you mean preview? To see the effect of a change, use diff."),
        ("apply", "`pulumi up` creates and changes the resources of a plan."),
        ("up", "`pulumi up` creates"),
        ("destroy", "`pulumi destroy` deletes the resources of a plan."),
        ("lint", "Did you mean validate?"),
        ("validat", "Did you mean validate?"),
        ("x" * 20, f"Use one of: {', '.join(command_modules())}."),
    ],
)
def test_an_unknown_command_leads_to_the_right_one(gke_tpu: GkeTpu, word: str, hint: str) -> None:
    run = gke_tpu(word)
    assert run.code == 2
    assert f"Unknown command {word}. {hint}" in " ".join(run.err.split())
