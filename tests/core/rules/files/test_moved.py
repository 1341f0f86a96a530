"""Rules about plan files that move to another folder."""

import pytest

from pulumi_gke_tpu.core.rules.files.moved import moved


@pytest.mark.parametrize(
    ("before", "after", "fix"),
    [
        ("stacks/prod/plan.yaml", "stacks/main/plan.yaml", "pulumi stack rename main --stack prod"),
        ("stacks\\prod\\plan.yaml", "stacks/main/plan.yaml", "pulumi stack rename main --stack prod"),
        ("stacks/prod/plan.yaml", "stacks/$(reboot)/plan.yaml", ""),
        ("stacks/$(reboot)/plan.yaml", "stacks/prod/plan.yaml", ""),
        ("plan.yaml", "stacks/prod/plan.yaml", ""),
        ("stacks/prod/plan.yaml", "plan.yaml", ""),
    ],
)
def test_the_command_that_renames_a_stack_contains_only_names_that_a_shell_takes_literally(
    before: str, after: str, fix: str
) -> None:
    finding = moved(before, after)
    assert finding is not None
    assert finding.fix == fix


def test_a_plan_in_a_folder_of_the_same_name_is_the_same_stack() -> None:
    assert moved("stacks/prod/plan.yaml", "teams/prod/other.yaml") is None
