"""Checks of the names of projects, service accounts, keys and topics: TPU241 to TPU246."""

import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings
from pulumi_gke_tpu.core.plan.keys import form_of
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, is_placed, reaches_nodes, texts_of_form
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, Severity, as_only, printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_PROJECT = lazy_pattern(r"(?:[a-z0-9][a-z0-9.-]{0,100}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]\Z", re.ASCII)
_PROJECT_FORM = "use 6 to 30 lower-case letters, digits and hyphens, starting with a letter"
_NUMBER = lazy_pattern(r"[1-9][0-9]{4,19}\Z", re.ASCII)
_ACCOUNT = lazy_pattern(r"[a-z0-9][a-z0-9.-]{0,62}@(?:[a-z0-9-]+\.)+gserviceaccount\.com\Z", re.ASCII)
_DEFAULT_ACCOUNT = lazy_pattern(r"[0-9]+-compute@developer\.gserviceaccount\.com\Z|default\Z", re.ASCII)
_KEY = lazy_pattern(
    r"projects/[a-z0-9.:-]+/locations/[a-z0-9-]+/keyRings/[\w-]{1,63}/cryptoKeys/[\w-]{1,63}\Z", re.ASCII
)
_ACCOUNT_KEY = "node_service_account"
_TOPIC = lazy_pattern(r"projects/[a-z0-9.:-]+/topics/(?!goog)[A-Za-z][A-Za-z0-9._~+%-]{2,254}\Z", re.ASCII)
_OWN_ACCOUNT = lazy_pattern(r"(?!gcp-sa-)[a-z0-9.-]+\.iam\.gserviceaccount\.com\Z", re.ASCII)
_LONGEST_ACCOUNT_ID = 30


def _has_long_id(email: str) -> bool:
    """Whether the email is of a service account of a project, with a longer ID than an account can have."""
    name, _, domain = email.partition("@")
    return bool(_OWN_ACCOUNT.match(domain)) and len(name) > _LONGEST_ACCOUNT_ID


def is_project(text: str) -> bool:
    """Whether the text has the form of a project ID or a project number."""
    return bool(_PROJECT.match(text) or _NUMBER.match(text))


@rule(
    "TPU241",
    plans_only="each tool refuses such a project itself",
    about=("clusters.*.slices.*.capacity.reservation.project", "project"),
    title="Invalid project ID",
    why="Google Cloud identifies a project by its ID, so it rejects resources with an invalid ID",
    fix="Set `project` to the project ID. `gcloud projects list` shows the ID.",
    references=["google-api-discovery"],
    note="project-id-form",
    failing="""
version: 1
project: Acme ML
clusters:
  train: {mode: standard, location: us-east5}
""",
    edit=("project: Acme ML", "project: acme-ml"),
)
def invalid_project_id(context: PlanContext) -> Iterable[Hit]:
    project = context.plan.project
    if not _PROJECT.match(project):
        number = bool(_NUMBER.match(project))
        near = re.sub(r"[^a-z0-9]+", "-", project.removeprefix("projects/").lower()[:60]).strip("-")
        yield Hit.invalid(
            ("project",),
            "project ID",
            project,
            "it is a project number" if number else _PROJECT_FORM,
            fix=SetKeys.of(project=near) if _PROJECT.match(near) else None,
        )


@rule(
    "TPU242",
    about=of_clusters(
        "autoprovisioning.node_service_account",
        "cpu_pools.*.node_service_account",
        "kubernetes.service_accounts.*.google",
        "node_service_account",
        "slices.*.node_service_account",
    ),
    otherwise={Severity.WARNING: "if only the ID of the account is too long"},
    title="Invalid service account email",
    why="nodes and Pods act as a service account, and GKE identifies the service account by its email",
    fix="Set the email of a service account. Or set `create`: gke-tpu then creates a service account that has only "
    "the required roles.",
    fix_of_resources="Set the email of a service account.",
    references=["google-api-discovery", "container-api-discovery"],
    note="service-account-form",
    failing=in_cluster("node_service_account: alice@example.com"),
    edit=("node_service_account: alice@example.com", "node_service_account: tpu-nodes@acme-ml.iam.gserviceaccount.com"),
)
def invalid_service_account(context: PlanContext) -> Iterable[Hit]:
    project = context.plan.project
    for path, account in (*_node_accounts(context), *_accounts_of_pods(context)):
        if not isinstance(account, str) or account == "create":
            continue
        if _ACCOUNT.match(account) or _DEFAULT_ACCOUNT.match(account):
            if _has_long_id(account):
                yield Hit.invalid(
                    path,
                    "service account email",
                    account,
                    f"the ID before @ has at most {_LONGEST_ACCOUNT_ID} characters",
                    severity=Severity.WARNING,
                )
            continue
        bare = re.split(r"[:/]", account)[-1]
        if not _ACCOUNT.match(bare):
            bare = f"{account}@{project}.iam.gserviceaccount.com"
        yield Hit.invalid(
            path,
            "service account email",
            account,
            allowed=("create", f"NAME@{printable(project)}.iam.gserviceaccount.com"),
            fix=as_only(SetKeys.of({path[-1]: bare})) if _ACCOUNT.match(bare) else SetKeys.of({path[-1]: "create"}),
        )


def _accounts_of_pods(context: PlanContext) -> Iterator[tuple[Path, object]]:
    """Every Google service account of a Kubernetes service account, with its path."""
    for cluster in context.fleet.clusters:
        plan = cluster.plan.kubernetes
        for name, item in plan.service_accounts.items() if plan is not None else ():
            yield (*cluster.path, "kubernetes", "service_accounts", name, "google"), item.google


def _node_accounts(context: PlanContext) -> Iterator[tuple[Path, object]]:
    """Every `node_service_account` with its path: of clusters, auto-provisioning, CPU pools and slice groups."""
    for cluster in context.fleet.clusters:
        yield (*cluster.path, _ACCOUNT_KEY), ClusterSettings(cluster).node_service_account.value
        if cluster.mode == "standard":
            if cluster.autoprovisioning is not None:
                yield (*cluster.autoprovisioning.path, _ACCOUNT_KEY), cluster.autoprovisioning.plan.node_service_account
            for pool in cluster.cpu_pools:
                yield (*pool.path, _ACCOUNT_KEY), pool.plan.node_service_account
        for key, group in cluster.plan.slices.items():
            if reaches_nodes(cluster, group):
                yield (*cluster.path, "slices", key, _ACCOUNT_KEY), group.node_service_account


@warning(
    "TPU243",
    plans_only="the default account is a choice of the program",
    about=of_clusters(
        "autoprovisioning.node_service_account",
        "cpu_pools.*.node_service_account",
        "node_service_account",
        "slices.*.node_service_account",
    ),
    title="Nodes use the Compute Engine default service account",
    why="the default service account often has the Editor role on the project, so a compromised node could change "
    "the whole project. Organization policies can also forbid this account for nodes",
    fix="Set `node_service_account: create`, the default for a new cluster: gke-tpu then creates a service account "
    "that has only the roles that nodes require. Or set the email of an account with these roles.",
    references=["gke-hardening", "google-skills-security"],
    failing=in_cluster("node_service_account: 1234567890-compute@developer.gserviceaccount.com"),
    edit=("node_service_account: 1234567890-compute@developer.gserviceaccount.com", "node_service_account: create"),
)
def default_service_account(context: PlanContext) -> Iterable[Hit]:
    named = [
        path
        for path, account in _node_accounts(context)
        if isinstance(account, str) and _DEFAULT_ACCOUNT.match(account)
    ]
    adopted = {cluster.path for cluster in context.fleet.clusters if cluster.adopted}
    for path in [*named, *(cluster.path for cluster in context.fleet.clusters if _lacks_account(cluster))]:
        run = "run" if path[:2] in adopted else "would run"
        yield Hit(
            path,
            f"the nodes {run} as the Compute Engine default service account",
            fact=context.catalog.platform.hardening,
            fix=SetKeys.of(node_service_account="create"),
        )


def _lacks_account(cluster: Cluster) -> bool:
    """Whether nodes in an existing cluster have neither an account of their own nor one of the cluster."""
    own = [pool.plan.node_service_account for pool in cluster.cpu_pools]
    own += [group.plan.node_service_account for group in cluster.groups if group.creates_nodes]
    return ClusterSettings(cluster).node_service_account.value is None and None in own


@rule(
    "TPU244",
    about=(lambda field: form_of(field) == "kms_key",),
    title="Invalid Cloud KMS key name",
    why="GKE requires the full resource name of the key, without a key version",
    fix="Write projects/PROJECT/locations/LOCATION/keyRings/RING/cryptoKeys/KEY.",
    references=["google-api-discovery", "container-api-discovery"],
    note="kms-key-form",
    failing=in_cluster("kms_key: secrets"),
    edit=("kms_key: secrets", "kms_key: projects/acme-ml/locations/us-east5/keyRings/gke/cryptoKeys/secrets"),
)
def invalid_kms_key(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        for path, key in texts_of_form(cluster.plan, cluster.path, "kms_key"):
            if _KEY.match(key):
                continue
            bare = key.split("/cryptoKeyVersions/")[0].removeprefix("//cloudkms.googleapis.com/")
            yield Hit.invalid(
                path,
                "Cloud KMS key name",
                key,
                allowed=("projects/PROJECT/locations/LOCATION/keyRings/RING/cryptoKeys/KEY",),
                fix=SetKeys.of({path[-1]: bare}) if _KEY.match(bare) else None,
            )


@warning(
    "TPU228",
    about=of_clusters("kms_key"),
    title="Cloud KMS key is in another location than the cluster",
    why="the control plane decrypts Secrets with the key, and GKE requires it in the location of the cluster. A key in "
    "another location adds latency and a dependency on that location",
    fix="Use a key in the region of the cluster.",
    references=["gke-encrypting-secrets"],
    failing=in_cluster("kms_key: projects/acme-ml/locations/us-central1/keyRings/gke/cryptoKeys/secrets"),
    edit=("us-central1", "us-east5"),
)
def kms_key_location(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        key = cluster.plan.kms_key
        if isinstance(key, str) and _KEY.match(key) and is_placed(cluster):
            location = key.split("/")[3]
            if location not in (cluster.region, cluster.location):
                yield Hit(
                    (*cluster.path, "kms_key"),
                    f"the key is in {printable(location)}, but the cluster is in {cluster.region}",
                    fact=note_by_id(context.catalog.platform.notes, "kms-key-location"),
                    allowed=(f"a key in {cluster.region}",),
                )


@rule(
    "TPU245",
    about=of_clusters("notifications"),
    title="Invalid Pub/Sub topic name",
    why="GKE requires the full resource name of a topic in the project of the cluster",
    fix="Write projects/PROJECT/topics/TOPIC with the project of the plan.",
    references=["google-api-discovery", "container-api-discovery"],
    note="pubsub-topic-form",
    failing=in_cluster("notifications: upgrades"),
    edit=("notifications: upgrades", "notifications: projects/acme-ml/topics/upgrades"),
)
def invalid_pubsub_topic(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        topic = cluster.plan.notifications
        if isinstance(topic, str) and not _TOPIC.match(topic):
            full = f"projects/{cluster.project}/topics/{topic}"
            yield Hit.invalid(
                (*cluster.path, "notifications"),
                "Pub/Sub topic name",
                topic,
                allowed=("projects/PROJECT/topics/TOPIC",),
                fix=SetKeys.of(notifications=full) if _PROJECT.match(cluster.project) and _TOPIC.match(full) else None,
            )
        elif isinstance(topic, str):
            project = topic.split("/")[1]
            if project != cluster.project and not project.isdecimal() and _PROJECT.match(cluster.project):
                yield Hit(
                    (*cluster.path, "notifications"),
                    f"the topic is in project {printable(project)}, but the cluster is in {printable(cluster.project)}",
                    fact=note_by_id(context.catalog.platform.notes, "notification-topic-project"),
                    allowed=(f"projects/{printable(cluster.project)}/topics/TOPIC",),
                )


@rule(
    "TPU246",
    about=of_clusters("fleet"),
    title="Invalid fleet project ID",
    why="GKE registers the cluster with the fleet of a project, and it requires the ID of that project",
    fix="Set `fleet` to the ID of the fleet host project.",
    references=["google-api-discovery"],
    note="project-id-form",
    failing=in_cluster("fleet: projects/acme-fleet"),
    edit=("fleet: projects/acme-fleet", "fleet: acme-fleet"),
)
def invalid_fleet_project(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        project = cluster.plan.fleet
        if isinstance(project, str) and not is_project(project):
            bare = project.rsplit("/", 1)[-1]
            yield Hit.invalid(
                (*cluster.path, "fleet"),
                "project ID",
                project,
                _PROJECT_FORM,
                fix=SetKeys.of(fleet=bare) if is_project(bare) else None,
            )
