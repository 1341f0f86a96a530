"""Rules about services for Pods on TPU nodes."""

import pytest
from support.manifests import broken, findings_in

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
