"""The patches that kustomizations name."""

import pytest

from pulumi_gke_tpu.core.objects.manifests import patch_files

INLINE = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"patches": [{"path": "a.yaml"}, {"path": "b.yaml", "target": {}}]}, {"base/a.yaml", "base/b.yaml"}),
        ({"patchesJson6902": [{"path": "../a.yaml", "target": {"kind": "Job"}}]}, {"a.yaml"}),
        ({"patchesStrategicMerge": ["a.yaml", INLINE]}, {"base/a.yaml"}),
        ({"patchesStrategicMerge": ["", "./a.yaml"]}, {"base/a.yaml"}),
        ({"patches": [{"patch": INLINE}, {"path": ""}, {"path": 3}, {"path": ["a.yaml"]}]}, set()),
        ({"resources": ["a.yaml"]}, set()),
        ([], set()),
    ],
)
def test_only_files_are_patches(content: object, expected: set[str]) -> None:
    """An entry of a list can also be the patch itself."""
    files = [("base/kustomization.yaml", content), ("base/other.yaml", {"patches": [{"path": "c.yaml"}]})]
    assert patch_files(files) == expected
