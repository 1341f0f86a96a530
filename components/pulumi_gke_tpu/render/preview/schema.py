"""The JSON Schema of :func:`pulumi_gke_tpu.render.preview.json.preview_json`."""

from typing import Any

from pulumi_gke_tpu.render.findings.json import findings_schema

_TEXT: dict[str, Any] = {"type": "string"}
_TEXT_OR_NULL: dict[str, Any] = {"type": ["string", "null"]}
_NUMBER: dict[str, Any] = {"type": "integer", "minimum": 0}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_RANGE: dict[str, Any] = {"$ref": "#/$defs/range"}
_USD: dict[str, Any] = {"anyOf": [{"$ref": "#/$defs/usd"}, {"type": "null"}]}
_CAPACITY: dict[str, Any] = {"enum": ["on_demand", "spot", "reservation", "flex_start", "queued"]}


def preview_schema() -> dict[str, Any]:
    """The schema, complete in itself."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Preview of a plan",
        "description": "What `gke-tpu preview --format json` writes. Money is in USD, as text; null is unknown.",
        **_object(
            format={"const": 1, "description": "Version of this form."},
            plan={**_TEXT, "description": "The plan file as given."},
            project=_TEXT,
            catalog={**_TEXT, "description": "Version of the catalog: a date."},
            clusters={"type": "array", "items": _cluster()},
            totals={"type": "array", "items": _line(), "description": "One line per capacity mode, then the total."},
            prices={"type": "array", "items": _price()},
            cost_reporting={**_TEXTS, "description": "What GKE's own cost reports lack about these slices."},
            quota={"type": "array", "items": _quota()},
            notes=_TEXTS,
            resource_counts={"type": "object", "additionalProperties": _NUMBER},
            findings=_embedded(findings_schema()),
            resources={
                "type": "array",
                "items": _resource(),
                "description": "Every registration; only with --resources.",
            },
            written={
                "type": "object",
                "description": "The plan in its canonical form, for `gke-tpu diff`; only with --resources.",
            },
            optional=("resources", "written"),
        ),
        "$defs": {
            "range": {**_object(min=_NUMBER, max=_NUMBER), "description": "Fixed where both are equal."},
            "usd": _object(min=_TEXT, max=_TEXT),
            **findings_schema().get("$defs", {}),
        },
    }


def _object(optional: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _embedded(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in ("$schema", "$id", "$defs")}


def _cluster() -> dict[str, Any]:
    return _object(
        key=_TEXT,
        name=_TEXT,
        path=_TEXT,
        mode={"enum": ["standard", "autopilot"]},
        location=_TEXT,
        release_channel=_TEXT,
        slices={"type": "array", "items": _group()},
    )


def _group() -> dict[str, Any]:
    return _object(
        key=_TEXT,
        path=_TEXT,
        generation=_TEXT,
        topology=_TEXT,
        machine_type={**_TEXT_OR_NULL, "description": "null on Autopilot, where GKE chooses it."},
        accelerator={**_TEXT, "description": "Value of the label cloud.google.com/gke-tpu-accelerator."},
        node_selector={"type": "object", "additionalProperties": _TEXT},
        multi_host={"type": "boolean"},
        chips_per_host=_NUMBER,
        hosts_per_slice=_NUMBER,
        chips_per_slice=_NUMBER,
        slices=_RANGE,
        hosts=_RANGE,
        chips=_RANGE,
        zone={**_TEXT_OR_NULL, "description": "null where Autopilot chooses."},
        capacity=_CAPACITY,
        reservation=_TEXT_OR_NULL,
        workload_policy={**_TEXT_OR_NULL, "description": "The workload policy that is created."},
        protect={"type": "boolean"},
        usd_per_hour=_USD,
        usd_unknown_because=_TEXT_OR_NULL,
        autopilot_premium_usd_per_hour=_USD,
        pools={"type": "array", "items": _pool()},
    )


def _pool() -> dict[str, Any]:
    limits = _object(min=_NUMBER, max=_NUMBER, kind={"enum": ["per_zone", "total"]}, location_policy={"const": "ANY"})
    return _object(
        name=_TEXT,
        machine_type=_TEXT,
        zone=_TEXT_OR_NULL,
        hosts=_RANGE,
        chips_per_host=_NUMBER,
        chips=_RANGE,
        accelerator=_TEXT,
        topology={**_TEXT_OR_NULL, "description": "What the pool is told; null for single-host pools."},
        capacity=_CAPACITY,
        autoscaling={"anyOf": [limits, {"type": "null"}]},
    )


def _line() -> dict[str, Any]:
    return _object(
        what={"enum": [*_CAPACITY["enum"], "autopilot_premium", "total"]},
        slices=_RANGE,
        hosts=_RANGE,
        chips=_RANGE,
        usd_per_hour=_USD,
        usd_per_month=_USD,
        at_least={"type": "boolean", "description": "Part of the amount is unknown."},
        at_on_demand_price={"type": "boolean"},
        unknown={**_TEXTS, "description": "Groups whose cost is not in the amount."},
    )


def _price() -> dict[str, Any]:
    return _object(
        family=_TEXT,
        region=_TEXT,
        model=_TEXT,
        usd_per_chip_hour={"type": ["number", "null"]},
        as_of=_TEXT,
        confidence={"enum": ["high", "medium", "low"]},
    )


def _quota() -> dict[str, Any]:
    return _object(
        metric=_TEXT_OR_NULL,
        fallback=_TEXT_OR_NULL,
        dimension=_TEXT_OR_NULL,
        region=_TEXT,
        families=_TEXTS,
        chips=_RANGE,
        groups=_TEXTS,
        confidence={"enum": ["high", "medium", "low"]},
    )


def _resource() -> dict[str, Any]:
    options = _object(
        protect={"type": ["boolean", "null"]},
        delete_before_replace={"type": ["boolean", "null"]},
        replace_on_changes=_TEXTS,
        ignore_changes=_TEXTS,
        retain_on_delete={"type": ["boolean", "null"]},
        custom_timeouts={"type": "object", "additionalProperties": _TEXT},
        aliases=_TEXTS,
        depends_on=_TEXTS,
        provider=_TEXT_OR_NULL,
    )
    return _object(
        urn=_TEXT,
        type=_TEXT,
        name=_TEXT,
        parent=_TEXT_OR_NULL,
        path=_TEXT_OR_NULL,
        custom={"type": "boolean"},
        inputs={"type": "object", "description": 'A value known later is {"$unknown": [URNs it comes from]}.'},
        options=options,
        sources={
            "type": "object",
            "additionalProperties": _TEXTS,
            "description": "Property -> URNs of the resources that its value comes from, also where it is known.",
        },
    )
