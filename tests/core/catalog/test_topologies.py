"""The rules for topologies, compared with those that other tools publish."""

import pathlib

import yaml

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.topologies import custom_shapes, most_cubic

PUBLISHED = yaml.safe_load((pathlib.Path(__file__).parent / "data/usual_topologies.yaml").read_text("utf-8"))


def test_the_most_cubic_shape_is_the_one_that_other_tools_publish_for_a_number_of_chips(catalog: Catalog) -> None:
    compared = 0
    for name, topologies in PUBLISHED.items():
        custom = catalog.generation(name).custom_topologies
        for topology in topologies.values() if custom else ():
            shapes = [str(shape) for shape in custom_shapes(custom, Topology.parse(topology).chips)]
            if shapes:
                assert most_cubic(shapes) == topology
                compared += len(shapes) > 1
    assert compared > 100
