"""Fields that a plan adds to Pod templates: they are added, and nothing of the template is lost or changed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.pod_keys import KINDS, MODES, plan_with, shapes_of
from support.workload_plans import HEADS, TRAIN, objects_of, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.kinds.pods import contradictions, extended

ADDITION: dict[str, Any] = {
    "metadata": {"labels": {"team": "research"}, "annotations": {"prometheus.io/scrape": "true"}},
    "spec": {
        "dnsPolicy": "Default",
        "securityContext": {"fsGroup": 1000},
        "tolerations": [{"key": "team", "operator": "Exists"}],
        "volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}],
    },
}


def templates(item: Any) -> list[dict[str, Any]]:
    """The Pod templates in an object: mappings whose specification has containers."""
    if isinstance(item, list):
        return [found for part in item for found in templates(part)]
    if not isinstance(item, dict):
        return []
    own = [item] if isinstance(item.get("spec"), dict) and "containers" in item["spec"] else []
    return own + [found for part in item.values() for found in templates(part)]


def has_chips(template: dict[str, Any]) -> bool:
    limits = template["spec"]["containers"][0].get("resources", {}).get("limits", {})
    return "google.com/tpu" in limits


def covers(whole: Any, part: Any) -> bool:
    """Whether everything of a part is in a whole: fields at their place, entries of lists in their order."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and covers(whole[key], part[key]) for key in part)
    if isinstance(part, list) and isinstance(whole, list):
        rest = iter(whole)
        return all(any(covers(entry, wanted) for entry in rest) for wanted in part)
    return bool(whole == part)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KINDS)
def test_pods_with_chips_have_the_addition_and_everything_that_they_have_without_it(kind: str, mode: str) -> None:
    for topology in shapes_of(kind):
        plain, found = (
            templates(objects_of(plan_with(kind, mode, topology, more={"pod_template": addition}), "workloads"))
            for addition in ({}, ADDITION)
        )
        assert [has_chips(template) for template in plain] == [has_chips(template) for template in found]
        for before, after in zip(plain, found, strict=True):
            if has_chips(before):
                assert covers(after, before)
                assert covers(after, ADDITION)
            else:
                assert after == before


@pytest.mark.parametrize("kind", ["leaderworkerset", "raycluster", "rayjob", "pathways"])
def test_the_head_has_an_addition_of_its_own(kind: str) -> None:
    head = {"head": {"pod_template": ADDITION}}
    plan = workload_plan({"train": TRAIN}, {"w": {"slices": "train", "kind": kind, **head}}, cpu_pools={"heads": HEADS})
    for template in templates(objects_of(plan, "workloads")):
        assert covers(template, ADDITION) != has_chips(template)


def test_the_metadata_of_a_template_comes_first() -> None:
    assert list(extended({"spec": {}}, ADDITION, read_catalog())) == ["metadata", "spec"]


def test_entries_with_a_name_become_one_and_others_are_appended() -> None:
    template = {
        "spec": {
            "containers": [{"name": "tpu", "image": "a", "env": [{"name": "A", "value": "1"}]}],
            "tolerations": [{"key": "google.com/tpu", "operator": "Exists"}],
        }
    }
    addition = {
        "spec": {
            "containers": [{"name": "tpu", "tty": True, "env": [{"name": "B", "value": "2"}]}],
            "tolerations": [{"key": "team"}],
        }
    }
    assert extended(template, addition, read_catalog())["spec"] == {
        "containers": [
            {
                "name": "tpu",
                "image": "a",
                "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
                "tty": True,
            }
        ],
        "tolerations": [{"key": "google.com/tpu", "operator": "Exists"}, {"key": "team"}],
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["a", "b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "key", "spec", "containers", "env", "tolerations", "x"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)
MAPPINGS = st.dictionaries(st.sampled_from(["metadata", "spec", "x"]), JSON, max_size=3)
LISTS = st.lists(st.fixed_dictionaries({"name": st.sampled_from(["tpu", "b"]), "x": JSON}), max_size=2)
TEMPLATES = st.fixed_dictionaries({"spec": st.fixed_dictionaries({"containers": LISTS, "x": JSON})})


@given(template=TEMPLATES, addition=MAPPINGS)
def test_nothing_of_a_template_is_lost_whatever_is_added(template: dict[str, Any], addition: dict[str, Any]) -> None:
    catalog = read_catalog()
    result = extended(template, addition, catalog)
    assert covers(result, template)
    if not contradictions(template, addition, catalog):
        assert covers(result, addition)
