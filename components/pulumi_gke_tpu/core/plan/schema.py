"""The JSON Schemas of plans, inventories and organization files for editors, and plans in canonical form."""

import datetime
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic.json_schema import GenerateJsonSchema

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.catalog.records.generation import Generation
from pulumi_gke_tpu.core.plan import ClusterSpec, Plan
from pulumi_gke_tpu.core.plan.base import SPEC, Form, Unknown
from pulumi_gke_tpu.core.plan.files.kinds import ORGANIZATION
from pulumi_gke_tpu.core.plan.inventory import IN_CHIPS, IN_VMS, Inventory
from pulumi_gke_tpu.core.plan.keys import names_of
from pulumi_gke_tpu.core.plan.organization import KINDS, UNITS

_REGION = "[a-z]+-[a-z]+[0-9]+"
_ZONE = f"{_REGION}-(ai[0-9]+)?[a-z]"
_GKE_NAME = "[a-z]([a-z0-9-]*[a-z0-9])?"
_DNS_LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_TEN = 10
_KEY = "[^/\\s]+"

_TEXTS: dict[Form, tuple[str, ...]] = {
    "account": (
        "create|default|[^@:/\\s]+@[^@:/\\s]+",
        "create, or the email address of a service account",
        "create",
        "tpu@my-project.iam.gserviceaccount.com",
    ),
    "cidr": ("[0-9A-Fa-f.:]+/[0-9]{1,3}", "a range in CIDR notation, such as 10.0.0.0/20", "10.0.0.0/20"),
    "cluster": (
        "(.*/)?projects/[^/\\s]+/(locations|zones|regions)/[^/\\s]+/clusters/[a-z][a-z0-9-]*",
        "projects/PROJECT/locations/LOCATION/clusters/NAME",
        "projects/my-project/locations/us-east5/clusters/train",
    ),
    "disk_type": ("(pd|hyperdisk)-[a-z-]+", "a disk type, such as hyperdisk-balanced", "hyperdisk-balanced"),
    "dns_label": (
        _DNS_LABEL,
        "at most 63 lower-case letters, digits and hyphens, with a letter or digit first and last",
        "research",
    ),
    "duration": (
        "(?=.)([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?",
        "a duration, such as 7d, 6h or 1h30m",
        *("7d", "6h", "90m"),
    ),
    "gke_name": (_GKE_NAME, "lower-case letters, digits and hyphens, with a letter first", "train-east"),
    "item": (f"{_KEY}(/{_KEY})?", "CLUSTER or CLUSTER/GROUP", "train-east", "train-east/pretrain"),
    "kms_key": (
        "projects/[^/\\s]+/locations/[^/\\s]+/keyRings/[^/\\s]+/cryptoKeys/[^/\\s]+",
        "projects/PROJECT/locations/LOCATION/keyRings/RING/cryptoKeys/KEY",
        "projects/my-project/locations/us-east5/keyRings/gke/cryptoKeys/disks",
    ),
    "location": (f"{_REGION}|{_ZONE}", "a region or a zone, such as us-east5", "us-east5", "us-east5-b"),
    "machine_type": (
        "[a-z][a-z0-9]*(-[a-z0-9]+)+",
        "a machine type of Google Cloud, such as n2-standard-4",
        "n2-standard-4",
    ),
    "mount_path": ("/.*", "an absolute path, such as /data", "/data", "/checkpoints"),
    "project": (
        "([a-z0-9.-]+:)?([a-z][a-z0-9-]{4,28}[a-z0-9]|[0-9]+)",
        "a project ID: 6 to 30 lower-case letters, digits and hyphens",
        "my-project",
    ),
    "quantity": (
        "[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?",
        "a Kubernetes quantity, such as 500m, 8 or 16Gi",
        *("500m", "8", "16Gi"),
    ),
    "release": ("[0-9]{1,4}(\\.[0-9]{1,4}){2}", "a release, such as 0.19.2", "0.19.2"),
    "timestamp": (
        "[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?\\s*([Zz]|[+-][0-9]{2}:?[0-9]{2})",
        "a timestamp with a time zone, such as 2026-12-01T00:00:00Z",
        "2026-12-01T00:00:00Z",
    ),
    "topology": ("[1-9][0-9]*(x[1-9][0-9]*){1,2}", "AxB or AxBxC, such as 4x4", "4x4", "4x4x4"),
    "version": (
        "[0-9]+\\.[0-9]+(\\.[0-9]+(-gke\\.[0-9]+)?)?",
        'a GKE version in quotes, such as "1.34"',
        "1.34",
        "1.34.1-gke.3084001",
    ),
    "zone": (_ZONE, "a zone, such as us-east5-b", "us-east5-b"),
}
"""Pattern, how a message asks for it, and examples."""

Forms = Mapping[Form, Mapping[str, Any]]

FORMS: Forms = {
    form: {"pattern": f"^({pattern})$", "patternErrorMessage": f"Use {wanted}.", "examples": examples}
    for form, (pattern, wanted, *examples) in _TEXTS.items()
}
"""The keywords of each form. A pattern of JSON Schema matches anywhere, so each has both anchors."""


def forms_of(catalog: Catalog) -> Forms:
    """The forms, with the names of a catalog."""
    names = {form: {"enum": [*names]} for form, names in names_of(catalog).items()}
    return {**FORMS, **names}


def refine(schema: dict[str, Any], catalog: Catalog) -> None:
    """Add to the schema of a plan what the catalog and the rules know."""
    parts, clusters = schema["$defs"], schema["properties"]["clusters"]
    clusters |= _named(clusters.pop("additionalProperties"))
    _refine_group(parts["SliceGroup"], catalog)
    _refine_cluster(parts["Cluster"], parts["SliceGroup"], catalog)
    _refine_cpu_pool(parts["CpuPool"])
    _refine_existing(parts["Cluster"])
    _refine_capacity(parts["Capacity"])
    _refine_run(parts["FlexStart"]["properties"]["max_run_duration"], catalog.capacity.flex_start.max_run_seconds)


def refine_inventory(schema: dict[str, Any]) -> None:
    """Add to the schema of an inventory the units of reservations, and the forms of locations and versions."""
    schema["$defs"]["OwnedReservation"]["oneOf"] = [{"required": [*names]} for names in (IN_VMS, IN_CHIPS)]
    locations = schema["properties"]["gke_versions"]
    locations["propertyNames"] = FORMS["location"]
    channels = locations["additionalProperties"]
    channels["propertyNames"] = {"enum": [*get_args(ClusterSpec.model_fields["release_channel"].annotation)]}
    channels["additionalProperties"]["items"] |= FORMS["version"]


def refine_organization(schema: dict[str, Any], catalog: Catalog) -> None:
    """Add to the schema of an organization file that a standard has one requirement, and examples of names."""
    parts = schema["$defs"]
    keys = parts["Standard"]["properties"]
    keys["generations"]["items"]["examples"] = [*catalog.generation_names]
    parts["Standard"]["oneOf"] = [{"required": [kind], "properties": {kind: _set(keys[kind])}} for kind in KINDS]
    parts["Most"]["oneOf"] = [{"required": [unit]} for unit in UNITS]
    parts["Names"]["anyOf"] = [{"required": [name]} for name in parts["Names"]["properties"]]
    parts["Exemption"]["properties"]["reason"]["pattern"] = r"\S"


def _set(key: dict[str, Any]) -> dict[str, Any]:
    """The values of a requirement that are not the same as none."""
    kind = key.get("type")
    return {"minItems": 1} if kind == "array" else {"const": True} if kind == "boolean" else {}


def _refine_group(group: dict[str, Any], catalog: Catalog) -> None:
    keys = group["properties"]
    keys["max_pods_per_node"]["maximum"] = catalog.platform.nodes.max_pods_per_node
    names = {name: _choices(catalog.generation(name)) for name in catalog.generation_names}
    group["allOf"] = [
        {"if": {"properties": {"tpu": {"const": name}}, "required": ["tpu"]}, "then": {"properties": choices}}
        for name, choices in names.items()
    ]
    of_cubes = {"properties": {"slicing": {"const": "dynamic"}}, "required": ["slicing"]}
    group["if"], group["then"] = of_cubes, {"not": {"anyOf": [{"required": ["topology"]}, {"required": ["chips"]}]}}
    group["else"] = {"anyOf": [{"required": ["topology"]}, {"required": ["chips"]}]}
    group["dependencies"] = {
        "topology": _without("chips"),
        "count": _without("min", "max", "indices"),
        "indices": _without("min", "max"),
        "network_profile": _without("additional_networks"),
    }


def _choices(generation: Generation) -> dict[str, Any]:
    """The machine types of a generation, and its topologies where it has no others than those of its table."""
    machines: dict[str, Any] = {"machine_type": {"enum": sorted(generation.machine_types)}}
    if generation.custom_topologies is not None:
        sides = generation.dimensions - 1
        form = f"Use a topology with {generation.dimensions} dimensions."
        return machines | {"topology": {"pattern": f"^[0-9]+(x[0-9]+){{{sides}}}$", "patternErrorMessage": form}}
    shapes = dict.fromkeys(row.topology for row in generation.topologies.rows)
    return machines | {"topology": {"enum": list(shapes)}}


def _refine_cluster(cluster: dict[str, Any], group: dict[str, Any], catalog: Catalog) -> None:
    keys = cluster["properties"]
    keys["slices"] |= _named(keys["slices"].pop("additionalProperties"))
    keys["cpu_pools"]["propertyNames"] = {key: FORMS["gke_name"][key] for key in ("pattern", "patternErrorMessage")}
    refused = {key: False for key, value in keys.items() if value.get("autopilot") == "refused"}
    generations = [catalog.generation(name) for name in catalog.generation_names]
    legacy = [
        name
        for generation in generations
        for name, machine in generation.machine_types.items()
        if generation.families[machine.family].legacy
    ]
    in_groups: dict[str, Any] = {
        key: False for key, value in group["properties"].items() if value.get("autopilot") == "refused"
    }
    cluster["if"] = {"properties": {"mode": {"const": "autopilot"}}, "required": ["mode"]}
    cluster["then"] = {
        "properties": {
            **refused,
            "location": {
                "pattern": f"^{_REGION}$",
                "patternErrorMessage": "Use a region: Autopilot clusters have no zone.",
            },
            "release_channel": {"not": {"const": "none"}},
            "slices": {
                "additionalProperties": {
                    "if": {"required": ["fallback"]},
                    "else": {"properties": in_groups | {"machine_type": {"enum": legacy}}},
                }
            },
        }
    }


def _refine_cpu_pool(pool: dict[str, Any]) -> None:
    """Either a fixed number of nodes or limits."""
    keeps_size = {"properties": {"adopted": {"type": "object", "required": ["nodes"]}}, "required": ["adopted"]}
    pool["anyOf"] = [{"required": ["nodes"]}, {"required": ["max_nodes"]}, keeps_size]
    pool["dependencies"] = {"nodes": _without("min_nodes", "max_nodes")}


def _refine_existing(cluster: dict[str, Any]) -> None:
    """Keys that only a new or only an existing cluster has, as far as they are keys of the cluster itself."""
    meanings = {key: value.get("existing", "same") for key, value in cluster["properties"].items()}
    refused, only = ([key for key in meanings if meanings[key] == word] for word in ("refused", "only"))
    cluster["allOf"] = [
        {
            "if": {"required": ["existing"]},
            "then": _without(*refused),
            "else": {
                "if": {"properties": {"adopted": {"const": True}}, "required": ["adopted"]},
                "else": _without(*only),
            },
        },
    ]


def _refine_capacity(capacity: dict[str, Any]) -> None:
    """Exactly one mode. ``spot: false`` is not a mode, so only modes that are mappings exclude the others."""
    off = {"const": False}
    flags = {"on_demand": off, "spot": off, "queued": off}
    capacity["dependencies"] = {
        "reservation": {"properties": {**flags, "flex_start": False}},
        "flex_start": {"properties": flags},
    }


def _refine_run(run: dict[str, Any], seconds: int) -> None:
    """Refuse a number of days above the limit; other units are left to the rule."""
    days = seconds // 86400
    more = f"[{days + 1}-9]|" if days + 1 < _TEN else ""
    message = f"Flex-start nodes run for at most {days}d."
    run["allOf"] = [{"pattern": f"^(?!0*({more}[1-9][0-9]+)d)", "patternErrorMessage": message}]


def _named(item: dict[str, Any]) -> dict[str, Any]:
    """A mapping of names to items. A key that GKE does not accept as a name requires `name`."""
    return {
        "additionalProperties": item,
        "patternProperties": {"^[^a-z]|[^a-z0-9-]|-$": {"allOf": [item], "required": ["name"]}},
    }


def _without(*keys: str) -> dict[str, Any]:
    return {"properties": dict.fromkeys(keys, False)}


_ADDRESS = "https://OWNER.github.io/pulumi-gke-tpu/docs/schemas"
_DRAFT = "http://json-schema.org/draft-07/schema#"
"""The newest draft that SchemaStore and every editor take."""
_ON_AUTOPILOT = {
    "refused": "On Autopilot: refused.",
    "legacy": "On Autopilot: only for a machine type of a legacy family.",
    "noted": "On Autopilot: no effect.",
    "region": "On Autopilot: not every value.",
}
_WITH_CLASS = "With fallback: no effect."
_ON_EXISTING = {
    "fact": "On an existing cluster: a fact about it.",
    "refused": "On an existing cluster: refused.",
    "only": "On a new cluster: refused.",
}


class _PublicNames(GenerateJsonSchema):
    """Gives models their public names in a schema."""

    def normalize_name(self, name: str) -> str:
        return super().normalize_name(name).removesuffix(SPEC)


def plan_schema(catalog: Catalog | None = None) -> dict[str, Any]:
    """What a plan file may contain, shorthands included. Names are those of the catalog, by default the shipped one."""
    schema = Plan.model_json_schema(schema_generator=_PublicNames)
    _without_null(schema)
    _require_one(schema["$defs"]["Cluster"], "location", "existing")
    catalog = catalog or read_catalog()
    refine(schema, catalog)
    return _finished(schema, "Plan of gke-tpu", "plan", forms_of(catalog))


def inventory_schema() -> dict[str, Any]:
    """What an inventory file may contain."""
    schema = Inventory.model_json_schema(schema_generator=_PublicNames)
    _without_null(schema)
    refine_inventory(schema)
    return _finished(schema, "Inventory of gke-tpu", "inventory", FORMS)


def organization_schema() -> dict[str, Any]:
    """What an organization file may contain."""
    schema = ORGANIZATION.model.model_json_schema(schema_generator=_PublicNames)
    _without_null(schema)
    refine_organization(schema, read_catalog())
    return _finished(schema, "Organization file of gke-tpu", "organization", FORMS)


def _finished(schema: dict[str, Any], title: str, name: str, forms: Forms) -> dict[str, Any]:
    parts = schema.pop("$defs", {})
    for part in (*parts.values(), schema):
        part.pop("title", None)
        for value in part.get("properties", {}).values():
            whole = parts.get(value.get("$ref", "").rsplit("/", 1)[-1], {})
            _describe(value, whole.get("description", ""), forms)
    _by_type([schema, parts])
    about = {"$schema": _DRAFT, "$id": f"{_ADDRESS}/{name}.schema.json", "title": title}
    return {**about, **_in_draft_07({**schema, "definitions": parts})}


def _in_draft_07(part: Any) -> Any:
    """A part of a schema with ``$ref`` alone in its mapping: draft 07 ignores the keys beside it."""
    if isinstance(part, list):
        return [_in_draft_07(item) for item in part]
    if not isinstance(part, dict):
        return part
    changed = {key: _in_draft_07(value) for key, value in part.items()}
    target = changed.pop("$ref", None)
    if target is None:
        return changed
    reference = {"$ref": target.replace("#/$defs/", "#/definitions/")}
    return {**changed, "allOf": [reference, *changed.get("allOf", ())]} if changed else reference


def _describe(value: dict[str, Any], otherwise: str, forms: Forms) -> None:
    """Describe a key, also on Autopilot and on existing clusters, and the form of its texts.

    Drop the titles, which only repeat the key.
    """
    value.pop("title", None)
    on_autopilot = _ON_AUTOPILOT.get(value.pop("autopilot", ""), "")
    on_existing = _ON_EXISTING.get(value.pop("existing", ""), "")
    value.pop("instead", None)
    value.pop("effect", None)
    value.pop("instead_existing", None)
    with_class = _WITH_CLASS if value.pop("instead_class", "") else ""
    parts = (value.get("description", otherwise), on_autopilot, on_existing, with_class)
    value["description"] = " ".join(part for part in parts if part)
    form = value.pop("form", "")
    for part in _parts_of(value):
        if part.get("type") == "string" and (form or "form" in part):
            part.update(forms[part.pop("form", form)])


def _parts_of(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema, and those of its alternatives, entries and values."""
    yield value
    for part in (*value.get("anyOf", ()), value.get("items"), value.get("additionalProperties")):
        if isinstance(part, dict):
            yield from _parts_of(part)


def _without_null(schema: Any) -> None:
    """Remove null from alternatives.

    A key without a value is an error (TPU022), and editors name a nested typo only if there is one alternative.
    """
    if isinstance(schema, list):
        for item in schema:
            _without_null(item)
    if not isinstance(schema, dict):
        return
    if "default" in schema and schema["default"] is None:
        del schema["default"]
    forms = schema.get("anyOf", [])
    if {"type": "null"} in forms:
        forms.remove({"type": "null"})
        if len(forms) == 1:
            del schema["anyOf"]
            schema |= {key: value for key, value in forms[0].items() if key != "description" or key not in schema}
    for value in schema.values():
        _without_null(value)


def _by_type(schema: Any) -> None:
    """Select an alternative by its type, so that editors name a typo in a mapping instead of expecting a word."""
    if isinstance(schema, list):
        for item in schema:
            _by_type(item)
    if not isinstance(schema, dict):
        return
    forms = schema.get("anyOf", [])
    mappings = [form for form in forms if "$ref" in form or form.get("type") == "object"]
    words = [form for form in forms if form not in mappings]
    if mappings and words:
        del schema["anyOf"]
        schema["if"] = {"type": "object"}
        schema["then"] = mappings[0] if len(mappings) == 1 else _network(*mappings)
        schema["else"] = words[0] if len(words) == 1 else {"anyOf": words}
    for value in schema.values():
        _by_type(value)


def _network(either: dict[str, Any], existing: dict[str, Any]) -> dict[str, Any]:
    """The two mappings of the key `network`: `create` or `existing`, and the keys of `existing` directly."""
    direct = {"anyOf": [{"required": ["network"]}, {"required": ["subnetwork"]}]}
    return {"if": direct, "then": existing, "else": either}


def _require_one(part: dict[str, Any], key: str, other: str) -> None:
    """Let another key stand for a required one."""
    part["required"].remove(key)
    part["anyOf"] = [{"required": [name]} for name in (key, other)]


def plan_data(plan: Plan) -> dict[str, Any]:
    """The plan as data for JSON; :func:`pulumi_gke_tpu.core.plan.parse_plan` reads an equal plan from it.

    Values of a program that are known only later are omitted.
    """
    data: dict[str, Any] = _plain(plan.model_dump(by_alias=True, exclude_unset=True))
    return data


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items() if not isinstance(item, Unknown)}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, datetime.datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return f"{value.days * 86400 + value.seconds}s"
    return value
