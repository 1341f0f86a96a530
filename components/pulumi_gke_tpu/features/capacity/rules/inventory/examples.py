"""The example that rules about reservations share: slices on a reservation of the inventory."""

RESERVATION = """
reservations:
  - name: v6e-pretrain
    project: acme-ml
    zone: us-east5-b
    machine_type: ct6e-standard-4t
    vms: 64
"""


def on_reservation(*entry: str, group: str = "", block: str = "", owner: str = "", capacity: str = "") -> str:
    """A slice group with a further line, on a reservation or a block, whose entry in the inventory has further lines.

    ``owner`` is the project of the reservation, if it is another one; ``capacity`` replaces the reservation.
    """
    named = "".join(f", {key}: {name}" for key, name in (("project", owner), ("block", block)) if name)
    reservation = f"{{name: v6e-pretrain{named}}}" if named else "v6e-pretrain"
    used = f"capacity: {capacity or f'{{reservation: {reservation}}}'}"
    lines = ["tpu: v6e", "topology: 8x8", group, used, "--- inventory"]
    inventory = RESERVATION.replace("acme-ml", owner) if owner else RESERVATION
    return "\n".join(line for line in lines if line) + inventory + "".join(f"    {line}\n" for line in entry)
