"""Service accounts, IAM policies, projects and services: IAM, Resource Manager, Storage, Service Usage, Billing."""

import re
from typing import Any

from support.gke.refusals import RefusedError
from support.gke.values import number_of

_ACCOUNT = re.compile(r"projects/(?P<project>[^/]+)/serviceAccounts(?:/(?P<email>[^/:]+))?(?::(?P<verb>\w+))?")
_PROJECT = re.compile(r"projects/(?P<project>[^/:]+)(?::(?P<verb>\w+))?")
_SERVICE = re.compile(r"projects/(?P<project>[^/]+)/services(?:/(?P<service>[^/:]+))?(?::(?P<verb>\w+))?")
_NUMBER = "123456789012"

Json = dict[str, Any]


class Accounts:
    """Service accounts by their email, IAM policies by the name of what they belong to, and enabled services."""

    def __init__(self) -> None:
        self.accounts: dict[str, Json] = {}
        self.policies: dict[str, Json] = {}
        self.services = {"container.googleapis.com", "compute.googleapis.com"}

    def iam(self, method: str, path: str, body: Json) -> Json:
        match = _ACCOUNT.fullmatch(path)
        if match is None:
            raise RefusedError(404, f"Not found: {path}")
        project, email = match["project"], match["email"]
        if email is None:
            return self._create(project, body) if method == "POST" else {"accounts": list(self.accounts.values())}
        if email not in self.accounts:
            raise RefusedError(404, f"Unknown service account: {email}")
        if match["verb"] in ("getIamPolicy", "setIamPolicy"):
            return self._policy(path.partition(":")[0], match["verb"], body)
        if method == "DELETE":
            return self.accounts.pop(email) and {}
        if method == "PATCH":
            self.accounts[email] |= body.get("serviceAccount") or {}
        return self.accounts[email]

    def projects(self, method: str, path: str, body: Json) -> Json:
        match = _PROJECT.fullmatch(path)
        if match is None:
            raise RefusedError(404, f"Not found: {path}")
        if match["verb"]:
            return self._policy(f"projects/{match['project']}", match["verb"], body)
        name = match["project"]
        return {"projectId": name, "projectNumber": _NUMBER, "name": name, "lifecycleState": "ACTIVE"}

    def buckets(self, method: str, path: str, body: Json) -> Json:
        """The IAM policy of a bucket; every bucket exists."""
        name = path.removesuffix("/iam")
        if name == path:
            raise RefusedError(404, f"Not found: {path}")
        if method == "GET":
            return self._policy(name, "getIamPolicy", {})
        return self._policy(name, "setIamPolicy", {"policy": body})

    def service_usage(self, method: str, path: str, body: Json) -> Json:
        if path.startswith("operations/"):
            return {"name": path, "done": True}
        match = _SERVICE.fullmatch(path)
        if match is None:
            raise RefusedError(404, f"Not found: {path}")
        if method == "GET":
            named = [match["service"]] if match["service"] else sorted(self.services)
            states = [_service(name, enabled=name in self.services) for name in named]
            return states[0] if match["service"] else {"services": states}
        if match["verb"] == "disable":
            self.services.discard(match["service"])
        else:
            self.services.update([match["service"]] if match["service"] else body.get("serviceIds", []))
        return {"name": "operations/enabled", "done": True, "response": {}}

    def billing(self, method: str, path: str, body: Json) -> Json:
        project = path.split("/")[1]
        account = "billingAccounts/000000-000000-000000"
        return {"name": path, "projectId": project, "billingAccountName": account, "billingEnabled": True}

    def _create(self, project: str, body: Json) -> Json:
        email = f"{body['accountId']}@{project}.iam.gserviceaccount.com"
        if email in self.accounts:
            raise RefusedError(409, f"Service account {body['accountId']} already exists within project {project}.")
        self.accounts[email] = {
            **(body.get("serviceAccount") or {}),
            "name": f"projects/{project}/serviceAccounts/{email}",
            "projectId": project,
            "email": email,
            "uniqueId": number_of(email),
            "oauth2ClientId": number_of(email),
        }
        return self.accounts[email]

    def _policy(self, name: str, verb: str, body: Json) -> Json:
        old = self.policies.get(name, {"version": 1, "etag": "1", "bindings": []})
        if verb == "getIamPolicy":
            return old
        new = body["policy"]
        if new.get("etag") not in (None, "", old["etag"]):
            raise RefusedError(409, "There were concurrent policy changes. Please retry the whole read-modify-write.")
        self.policies[name] = {**new, "etag": str(int(old["etag"]) + 1)}
        return self.policies[name]


def _service(name: str, *, enabled: bool) -> Json:
    return {"name": f"projects/{_NUMBER}/services/{name}", "state": "ENABLED" if enabled else "DISABLED"}
