# Tests of the policy: conftest verify --policy DIR --data DIR, or opa test DIR
package gke_tpu_test

import data.gke_tpu
import rego.v1

# A right slice of 4 hosts. Each test changes one part of it.
slice := {
	"location": "us-east5",
	"node_locations": ["us-east5-b"],
	"node_count": 4,
	"autoscaling": [],
	"placement_policy": [{"type": "COMPACT", "tpu_topology": "4x4"}],
	"node_config": [{
		"machine_type": "ct6e-standard-4t",
		"spot": false,
		"preemptible": false,
		"reservation_affinity": [{"consume_reservation_type": "NO_RESERVATION"}],
	}],
}

plan(change) := {"format_version": "1.2", "resource_changes": [{
	"address": "google_container_node_pool.slice",
	"mode": "managed",
	"type": "google_container_node_pool",
	"change": change,
}]}

created(pool) := plan({"actions": ["create"], "before": null, "after": pool, "after_unknown": {}})

changed(path, value) := json.patch(slice, [{"op": "add", "path": path, "value": value}])

denied(pool) := {finding.rule | some finding in gke_tpu.deny with input as created(pool)}

warned(pool) := {finding.rule | some finding in gke_tpu.warn with input as created(pool)}

reserved := {
	"consume_reservation_type": "SPECIFIC_RESERVATION",
	"key": "compute.googleapis.com/reservation-name",
	"values": ["ours"],
}

hosts(machine, topology) := json.patch(slice, [
	{"op": "add", "path": "/node_config/0/machine_type", "value": machine},
	{"op": "add", "path": "/placement_policy/0/tpu_topology", "value": topology},
	{"op": "add", "path": "/node_locations", "value": []},
	{"op": "remove", "path": "/node_count"},
])

test_a_right_slice_has_no_findings if {
	denied(slice) == set()
	warned(slice) == set()
}

test_machine_types if {
	denied(changed("/node_config/0/machine_type", "ct6e-standard-2t")) == {"TPU103"}
	denied(changed("/node_config/0/machine_type", "e2-standard-4")) == set()
}

test_topologies if {
	denied(changed("/placement_policy/0/tpu_topology", "4x4x1")) == {"TPU111"}
	denied(changed("/placement_policy/0/tpu_topology", "4x3")) == {"TPU112"}
	denied(hosts("ct5p-hightpu-4t", "4x6x8")) == {"TPU113"}
	denied(changed("/node_config/0/machine_type", "ct6e-standard-8t")) == {"TPU115"}
}

test_placement if {
	"TPU161" in denied(hosts("tpu7x-standard-4t", "4x4x4"))
	pool := json.patch(hosts("ct6e-standard-4t", "2x2"), [{"op": "add", "path": "/node_count", "value": 1}])
	"TPU163" in (denied(pool) | warned(pool))
}

test_the_number_of_nodes if {
	denied(changed("/node_count", 3)) == {"TPU462"}
	per_zone := {"min_node_count": 0, "max_node_count": 4, "location_policy": "ANY"}
	denied(changed("/autoscaling", [per_zone])) == set()
	denied(changed("/autoscaling", [object.union(per_zone, {"max_node_count": 8})])) == {"TPU462"}
	denied(changed("/autoscaling", [object.union(per_zone, {"location_policy": "BALANCED"})])) == {"TPU465"}
	total := {"total_min_node_count": 0, "total_max_node_count": 4, "location_policy": "ANY"}
	denied(changed("/autoscaling", [total])) == {"TPU461"}
}

test_zones if {
	elsewhere := changed("/node_locations", ["us-east5-z"])
	"TPU207" in (denied(elsewhere) | warned(elsewhere))
	some zone, evidence in data.gke_tpu_facts.families.ct6e.zones
	evidence.multi_host == "undocumented"
	undocumented := json.patch(slice, [
		{"op": "add", "path": "/node_locations", "value": [zone]},
		{"op": "remove", "path": "/location"},
	])
	"TPU208" in warned(undocumented)
}

# Of each verdict about a capacity mode that the facts contain, a node pool.
test_capacity_modes if {
	rules := {"no": "TPU301", "allowlist": "TPU302", "unconfirmed": "TPU303"}
	every verdict, rule in rules {
		some machine, about in data.gke_tpu_facts.machine_types
		some mode, config in {"flex_start": {"flex_start": true}, "spot": {"spot": true}, "on_demand": {}}
		data.gke_tpu_facts.families[about.family].capacity[mode].offer == verdict
		about.single_host
		node := object.union_n([slice.node_config[0], {"machine_type": machine}, config])
		pool := object.union(slice, {"placement_policy": [], "node_config": [node]})
		rule in (denied(pool) | warned(pool))
	}
}

test_reservations if {
	path := "/node_config/0/reservation_affinity"
	denied(changed(path, [{"consume_reservation_type": "ANY_RESERVATION"}])) == {"TPU361"}
	denied(changed(path, [{"consume_reservation_type": "SPECIFIC_RESERVATION"}])) == {"TPU364"}
	denied(changed(path, [reserved])) == set()
	warned(changed(path, [])) == {"TPU365"}
	flex := object.union(slice.node_config[0], {"flex_start": true, "reservation_affinity": [reserved]})
	denied(changed("/node_config", [flex])) == {"TPU362"}
	spot := object.union(slice.node_config[0], {"spot": true, "reservation_affinity": [reserved]})
	denied(changed("/node_config", [spot])) == {"TPU363"}
}

updated(actions, before, after) := plan({"actions": actions, "before": before, "after": after, "after_unknown": {}})

larger := json.patch(slice, [
	{"op": "add", "path": "/placement_policy/0/tpu_topology", "value": "4x8"},
	{"op": "add", "path": "/node_count", "value": 8},
])

test_an_update_that_gke_ignores_is_denied if {
	found := {finding.rule | some finding in gke_tpu.deny with input as updated(["update"], slice, larger)}
	found == {"TPU168"}
}

test_a_replacement_and_a_deletion_are_warnings if {
	every actions, after in {["delete", "create"]: larger, ["delete"]: null} {
		document := updated(actions, slice, after)
		denials := gke_tpu.deny with input as document
		count(denials) == 0
		warnings := gke_tpu.warn with input as document
		{warning.rule | some warning in warnings} in {{"replace"}, {"delete"}}
	}
}

test_values_that_are_not_known_are_not_judged if {
	pool := changed("/node_count", 3)
	unknown := {"placement_policy": [{"tpu_topology": true}], "node_locations": true}
	change := {"actions": ["create"], "before": null, "after": pool, "after_unknown": unknown}
	findings := gke_tpu.deny with input as plan(change)
	count(findings) == 0
}
