"""No modules import each other in a circle, imports for type checkers and those of a package's own file included.

The contract ``no-circles`` in ``.importlinter`` checks the same for the modules and packages inside one folder.
"""

import graphlib

import grimp


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = grimp.build_graph("pulumi_gke_tpu", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 300
    graphlib.TopologicalSorter(imports).prepare()  # raises a CycleError that names the circle
