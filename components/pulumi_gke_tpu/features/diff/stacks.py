"""Which plan files have a stack of their own."""


def has_own_stack(plan: str) -> bool:
    """Whether a plan file is named as in the layout in which each folder is a stack: ``stacks/NAME/plan.yaml``.

    One program can load several plans with other names into one stack.
    """
    return plan.replace("\\", "/").rpartition("/")[2] == "plan.yaml"
