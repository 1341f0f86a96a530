"""What the provider itself adds to a program's inputs before it compares: labels in effect, addresses that follow."""

from typing import Any

from support.gcp_standin.knowledge import ACCOUNT, CLUSTER, Kind
from support.provider_protocol.wire import Unknown, has_unknown

ATTRIBUTION = {"goog-pulumi-provisioned": "true"}


def plain(value: Any) -> Any:
    """Inputs without ``__defaults``."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items() if name != "__defaults"}
    return [plain(item) for item in value] if isinstance(value, list) else value


def planned(kind: Kind, inputs: dict[str, Any], state: dict[str, Any] | None = None) -> dict[str, Any]:
    """Inputs and the outputs that are already certain from them; of a resource that exists, with its state."""
    if kind.token == CLUSTER:
        return {**inputs, **_cluster(inputs, state)}
    if kind.token == ACCOUNT:
        return {**inputs, **_account(inputs)}
    return inputs


def _cluster(inputs: dict[str, Any], state: dict[str, Any] | None) -> dict[str, Any]:
    labels = inputs.get("resourceLabels", {})
    if isinstance(labels, Unknown) or has_unknown(labels):
        return {}
    extra: dict[str, Any] = {name: _labels(name, labels, state) for name in ("effectiveLabels", "pulumiLabels")}
    if inputs.get("enableAutopilot") and "enableIntranodeVisibility" not in inputs:
        extra["enableIntranodeVisibility"] = True
    return extra


def _labels(name: str, labels: dict[str, Any], state: dict[str, Any] | None) -> dict[str, Any]:
    """Labels of the program beside those of others. The provider adds its own only when it creates a cluster."""
    if state is None:
        return {**ATTRIBUTION, **labels}
    own = state.get("resourceLabels") or {}
    return {**{key: value for key, value in (state.get(name) or {}).items() if key not in own}, **labels}


def _account(inputs: dict[str, Any]) -> dict[str, Any]:
    account, project = inputs.get("accountId"), inputs.get("project", "test-project")
    if isinstance(account, Unknown) or isinstance(project, Unknown):
        return {}
    email = f"{account}@{project}.iam.gserviceaccount.com"
    return {"email": email, "member": f"serviceAccount:{email}"}
