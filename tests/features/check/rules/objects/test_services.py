"""Rules about services for Pods on TPU nodes."""

import pytest
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.rules.engine.examples import tpu_job
from pulumi_gke_tpu.features.check.rules.objects.services import service_without_pods

SERVER, _, SERVICE = service_without_pods.passing.partition("---\n")


def with_service(spec: str, name: str = "serve") -> str:
    return f"{SERVER}---\napiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {spec}\n"


@pytest.mark.parametrize(
    "spec",
    [
        "{selector: {app: serve}, ports: [{port: 80, targetPort: 8000}]}",
        "{selector: {app: serve}, ports: [{port: 80, targetPort: 9000}]}",
        "{selector: {app: serve}, ports: [{port: 80}]}",
        "{selector: {tier: front}}",
        "{selector: {job-name: serve}}",
        "{selector: {app: $APP}}",
        "{selector: {ray.io/node-type: head}}",
        "{type: ExternalName, externalName: example.org}",
        "{}",
    ],
)
def test_a_service_is_accepted_whose_pods_can_exist(spec: str) -> None:
    assert broken(with_service(spec)) == []


@pytest.mark.parametrize(
    ("spec", "end", "reported"),
    [
        ("{selector: {}, ports: [{port: 80}]}", "", True),
        ("{selector: , ports: [{port: 80}]}", "", True),
        ("{clusterIP: None, selector: {}}", "", True),
        ("{clusterIP: None}", "", False),
        ("{type: ExternalName, externalName: example.org, selector: {}}", "", False),
        ("{selector: {}}", "---\napiVersion: v1\nkind: Endpoints\nmetadata: {name: serve}\nsubsets: []\n", False),
        ("{selector: $SELECTOR}", "", False),
    ],
)
def test_an_empty_selector_reaches_no_pods(spec: str, end: str, reported: bool) -> None:
    assert ("TPU395" in broken(with_service(spec) + end)) == reported


def test_a_headless_service_of_a_slice_needs_a_selector() -> None:
    job = tpu_job()
    service = "---\napiVersion: v1\nkind: Service\nmetadata: {name: %s}\nspec: {clusterIP: None%s}\n"
    assert "TPU395" in broken(job + service % ("trainer", ""))
    assert "TPU395" not in broken(job + service % ("trainer", ", selector: {job-name: trainer}"))
    assert "TPU395" not in broken(job + service % ("other", ""))


def test_a_service_of_another_application_is_accepted() -> None:
    assert broken(with_service("{selector: {app: router}}", name="router")) == []


def test_a_selector_with_a_wrong_value_names_the_label_of_the_pods() -> None:
    (finding,) = findings_in(with_service("{selector: {app: serv}, ports: [{port: 80}]}", name="front"))
    assert (finding.rule, finding.fix) == ("TPU395", "app: serve")


def test_a_service_with_the_name_of_a_server_must_select_it() -> None:
    assert broken(with_service("{selector: {app: router}}")) == ["TPU395"]


def test_a_target_port_by_name_must_be_a_port_of_a_container() -> None:
    (finding,) = findings_in(with_service("{selector: {app: serve}, ports: [{port: 80, targetPort: htp}]}"))
    assert (finding.rule, finding.fix) == ("TPU395", "targetPort: http")


def test_a_service_in_another_namespace_selects_other_pods() -> None:
    text = with_service("{selector: {app: router}}").replace(
        "{name: serve}\nspec: {sel", "{name: serve, namespace: b}\nspec: {sel"
    )
    assert (
        broken(text.replace("metadata: {name: serve}\nspec:\n", "metadata: {name: serve, namespace: a}\nspec:\n")) == []
    )


def test_labels_that_are_not_text_are_reported_by_another_rule() -> None:
    text = with_service("{selector: {app: server}}").replace("labels: {app: serve}", "labels: {app: [serve]}")
    assert "TPU395" not in broken(text)
