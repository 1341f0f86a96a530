# TPU node pools in plans of Terraform and OpenTofu, for conftest and OPA:
#
#   terraform plan -out tfplan && terraform show -json tfplan > plan.json
#   conftest test plan.json --policy DIR --data DIR --namespace gke_tpu
#   opa eval --data DIR --input plan.json data.gke_tpu.deny
#
# Rules with an ID have the same verdict as in `gke-tpu check`, and `gke-tpu rule ID` describes them. Only certain facts
# deny; all others warn. A value that Terraform knows only after the apply is not judged.
package gke_tpu

import rego.v1

facts := data.gke_tpu_facts

deny contains finding if {
	some finding in findings
	finding.severity == "error"
}

warn contains finding if {
	some finding in findings
	finding.severity == "warning"
}

# Machine types and topologies

findings contains found(pool, "TPU103", machine_path, "error", details) if {
	some pool in pools
	not facts.machine_types[pool.machine_type]
	has_known_shape(pool)
	details := {
		"problem": sprintf("unknown machine type %s for %s", [pool.machine_type, pool.generation]),
		"allowed": generation(pool).machine_types,
		"next": "Set a machine type of the generation.",
	}
}

findings contains found(pool, "TPU111", topology_path, "error", details) if {
	some pool in pools
	text(pool, topology_path) != ""
	not well_formed(pool)
	details := {
		"problem": sprintf("the topologies of %s have %d dimensions", [pool.generation, generation(pool).dimensions]),
		"allowed": offered(pool),
		"next": "Write AxB or AxBxC, with a lower-case x and without spaces.",
	}
}

findings contains found(pool, "TPU112", topology_path, "error", details) if {
	some pool in pools
	unlisted(pool)
	not above_the_list(pool)
	not another_machine(pool)
	details := {
		"problem": sprintf("%s has no topology %s", [pool.generation, text(pool, topology_path)]),
		"allowed": offered(pool),
		"next": "Set a topology that the machine type offers.",
	}
}

findings contains found(pool, "TPU113", topology_path, "error", details) if {
	some pool in pools
	unlisted(pool)
	above_the_list(pool)
	not custom(pool)
	rule := generation(pool).custom_topologies
	details := {
		"problem": sprintf("%s has no topology %s", [pool.generation, text(pool, topology_path)]),
		"allowed": [sprintf(
			"AxBxC with A <= B <= C, each a multiple of %d, at most %d chips",
			[rule.multiple_of, rule.max_chips],
		)],
		"next": "Round each dimension up to the next multiple, and sort the dimensions.",
	}
}

findings contains found(pool, "TPU113", topology_path, "warning", details) if {
	some pool in pools
	unlisted(pool)
	custom(pool)
	made_of_custom(pool)
	not documented_custom(pool)
	rule := generation(pool).custom_topologies
	details := {
		"problem": sprintf("the GKE documentation does not list %s", [text(pool, topology_path)]),
		"allowed": [sprintf("AxBxC with A <= B <= C and at most %d chips", [rule.max_chips])],
		"next": "Set a documented topology, or try this one with one slice.",
	}
}

findings contains found(pool, "TPU115", machine_path, "error", details) if {
	some pool in pools
	unlisted(pool)
	allowed := forming_machines(pool)
	not pool.machine_type in allowed
	details := {
		"problem": sprintf("%s is not available with %s", [pool.machine_type, text(pool, topology_path)]),
		"allowed": allowed,
		"next": "Set one of these machine types, or a topology of this machine type.",
	}
}

findings contains found(pool, "TPU161", ["placement_policy", 0, "policy_name"], severity(fact), details) if {
	some pool in pools
	generation(pool).multi_host_placement == "workload_policy"
	hosts(pool) > 1
	text(pool, ["placement_policy", 0, "policy_name"]) == ""
	fact := facts.notes["tpu7x-workload-policy"]
	details := {
		"problem": sprintf("a %s slice of %d hosts requires a workload policy", [pool.generation, hosts(pool)]),
		"allowed": ["the name of a google_compute_resource_policy of type HIGH_THROUGHPUT"],
		"next": "Create the policy with the topology of the slice, set its name here, and set type to \"\".",
	}
}

findings contains found(pool, "TPU163", topology_path, severity(machine.no_placement_on_one_host), details) if {
	some pool in pools
	value(pool, ["placement_policy", 0]) != null
	hosts(pool) == 1
	machine := facts.machine_types[pool.machine_type]
	details := {
		"problem": sprintf("%s is a single host of %s", [text(pool, topology_path), pool.machine_type]),
		"allowed": ["no placement_policy"],
		"next": "Remove the block placement_policy.",
	}
}

# The number of nodes

findings contains found(pool, "TPU462", path, severity(facts.notes["multi-host-one-pool"]), details) if {
	some pool in pools
	needed := hosts(pool)
	needed > 1
	some path in size_paths
	size := value(pool, path)
	is_number(size)
	not size in {0, needed}
	not reported_size(pool, path)
	details := {
		"problem": sprintf(
			"%d nodes do not fit: %s of %s has %d hosts",
			[size, text(pool, topology_path), pool.machine_type, needed],
		),
		"allowed": [sprintf("%d", [needed])],
		"next": sprintf("Set node_count to %d, or min_node_count to 0 and max_node_count to %d.", [needed, needed]),
	}
}

findings contains found(pool, "TPU461", path, severity(facts.notes["multi-host-per-zone-limit"]), details) if {
	some pool in pools
	hosts(pool) > 1
	path := ["autoscaling", 0, "total_max_node_count"]
	most := value(pool, path)
	is_number(most)
	most != 0
	details := {
		"problem": "total autoscaling limits are not supported with slices of several hosts",
		"allowed": ["min_node_count", "max_node_count"],
		"next": sprintf("Set min_node_count to 0 and max_node_count to %d instead.", [hosts(pool)]),
	}
}

findings contains found(pool, "TPU465", path, severity(facts.notes["multi-host-one-zone"]), details) if {
	some pool in pools
	path := ["autoscaling", 0, "location_policy"]
	not text(pool, path) in {"", "ANY"}
	needs_one_zone(pool)
	details := {
		"problem": sprintf("unsupported location policy %s", [text(pool, path)]),
		"allowed": ["ANY"],
		"next": "Set location_policy to ANY.",
	}
}

# Zones

findings contains found(pool, "TPU207", ["node_locations"], level, details) if {
	some pool in pools
	zone := zone_of(pool)
	capacity(pool)
	every shape in shapes(pool) {
		not facts.families[shape.family].zones[zone]
	}
	family := facts.families[shapes(pool)[0].family]
	certain := [fact.certain | fact := family.fact; not zone in family.uncertain_zones]
	level := severity({"certain": true in certain})
	details := {
		"problem": sprintf("%s is not available in zone %s", [pool.generation, zone]),
		"allowed": family.documented_zones,
		"next": "Set one of these zones, in a cluster of their region.",
	}
}

findings contains found(pool, "TPU208", ["node_locations"], "warning", details) if {
	some pool in pools
	zone := zone_of(pool)
	capacity(pool) != "reservation"
	every shape in shapes(pool) {
		facts.families[shape.family].zones[zone][shape.kind] == "undocumented"
	}
	details := {
		"problem": sprintf("zone %s is not on the GKE list for %s", [zone, pool.generation]),
		"allowed": facts.families[shapes(pool)[0].family].documented_zones,
		"next": "Set a documented zone, or confirm with Google that your project gets capacity in this zone.",
	}
}

# Capacity

findings contains found(pool, "TPU301", ["node_config"], severity(offering.fact), details) if {
	some pool in pools
	offering := capacity_with_verdict(pool, "no")
	details := {
		"problem": sprintf("%s is not available with capacity mode %s", [pool.generation, capacity(pool)]),
		"allowed": capacity_modes(pool),
		"next": "Use another capacity mode or another generation.",
	}
}

findings contains found(pool, "TPU302", ["node_config"], "warning", details) if {
	some pool in pools
	capacity_with_verdict(pool, "allowlist")
	details := {
		"problem": sprintf("%s with %s is only for projects on a Google allowlist", [pool.generation, capacity(pool)]),
		"allowed": capacity_modes(pool),
		"next": "Ask your Google account team to add the project to the allowlist.",
	}
}

findings contains found(pool, "TPU303", ["node_config"], "warning", details) if {
	some pool in pools
	capacity_with_verdict(pool, "unconfirmed")
	details := {
		"problem": sprintf("no documentation shows %s with capacity mode %s", [pool.generation, capacity(pool)]),
		"allowed": capacity_modes(pool),
		"next": "Try the mode with one small slice, or use another capacity mode.",
	}
}

findings contains found(pool, "TPU361", affinity_path, severity(facts.notes["reservation-affinity"]), details) if {
	some pool in pools
	text(pool, affinity_path) == "ANY_RESERVATION"
	details := {
		"problem": "reservation affinity ANY_RESERVATION is not supported with TPUs",
		"allowed": ["SPECIFIC_RESERVATION", "NO_RESERVATION"],
		"next": "Set SPECIFIC_RESERVATION with the name of the reservation, or NO_RESERVATION.",
	}
}

findings contains found(pool, "TPU362", affinity_path, severity(facts.notes["flex-start-without-reservation"]), details) if {
	some pool in pools
	takes_reservation(pool)
	on_request(pool)
	details := {
		"problem": "a reservation is not supported with flex-start or queued provisioning",
		"allowed": ["NO_RESERVATION"],
		"next": "Set NO_RESERVATION.",
	}
}

findings contains found(pool, "TPU363", ["node_config", 0, "spot"], severity(facts.notes["one-mode-per-pool"]), details) if {
	some pool in pools
	flag(pool, ["node_config", 0, "spot"])
	flex := flag(pool, ["node_config", 0, "flex_start"])
	reserved := takes_reservation(pool)
	true in {flex, reserved}
	details := {
		"problem": "Spot VMs conflict with flex-start and with reservations",
		"allowed": ["one capacity mode"],
		"next": "Keep one capacity mode, and remove the others.",
	}
}

findings contains found(pool, "TPU364", path, severity(facts.notes["reservation-affinity"]), details) if {
	some pool in pools
	text(pool, affinity_path) == "SPECIFIC_RESERVATION"
	key := value(pool, ["node_config", 0, "reservation_affinity", 0, "key"])
	names := value(pool, ["node_config", 0, "reservation_affinity", 0, "values"])
	missing := [name | some name, given in {"key": key, "values": names}; given in {null, "", []}]
	path := ["node_config", 0, "reservation_affinity", 0, missing[0]]
	details := {
		"problem": sprintf("the reservation has no %s", [concat(" and ", missing)]),
		"allowed": ["key = \"compute.googleapis.com/reservation-name\" and values with one name"],
		"next": "Set key and values.",
	}
}

findings contains found(pool, "TPU365", ["node_config", 0, "reservation_affinity"], "warning", details) if {
	some pool in pools
	value(pool, ["node_config", 0, "reservation_affinity", 0]) == null
	value(pool, ["node_config", 0, "reservation_affinity"]) in {null, []}
	details := {
		"problem": "the node pool sets no reservation affinity, and another one replaces it later",
		"allowed": ["NO_RESERVATION", "SPECIFIC_RESERVATION"],
		"next": "Set consume_reservation_type to NO_RESERVATION when you create the node pool.",
	}
}

# Changes

findings contains found(pool, "TPU168", path, "error", details) if {
	some pool in pools
	pool.at == []
	not "delete" in pool.change.actions
	some path in facts.ignored_updates
	after := text(pool, path)
	before := object.get(pool.change.before, path, null)
	not hidden(pool.change, "before_sensitive", path)
	not before in {null, ""}
	not after in {before, ""}
	details := {
		"problem": sprintf("GKE ignores the change from %s to %s", [before, after]),
		"allowed": [before],
		"next": "Replace the node pool: use replace_triggered_by, or terraform apply -replace=ADDRESS.",
	}
}

findings contains changed(resource, "node pool", "Running jobs stop, and the capacity is released.") if {
	some resource in input.resource_changes
	resource.type == "google_container_node_pool"
	facts.families[split(resource.change.before.node_config[0].machine_type, "-")[0]]
}

findings contains changed(resource, "cluster", "GKE deletes all node pools of the cluster.") if {
	some resource in input.resource_changes
	resource.type == "google_container_cluster"
}

changed(resource, kind, effect) := {
	"rule": class,
	"severity": "warning",
	"address": resource.address,
	"property": "",
	"given": concat(", ", resource.change.actions),
	"allowed": [],
	"why": effect,
	"next": next,
	"msg": plain(sprintf("%s: the plan %ss the %s. %s %s", [resource.address, class, kind, effect, next])),
} if {
	resource.mode == "managed"
	"delete" in resource.change.actions
	object.get(resource.change.before, "deletion_policy", null) != "ABANDON"
	class := {true: "replace", false: "delete"}["create" in resource.change.actions]
	next := "Continue only if this is intended: gke-tpu diff --terraform shows the hosts and chips."
}

# Node pools in a plan: as resources of their own, and as blocks of a cluster.

pools contains pool if {
	some resource in input.resource_changes
	resource.type == "google_container_node_pool"
	pool := tpu_pool(resource, [])
}

pools contains pool if {
	some resource in input.resource_changes
	resource.type == "google_container_cluster"
	some index, _ in resource.change.after.node_pool

	# The provider reads all node pools of an existing cluster into it.
	object.get(resource.change, ["before", "node_pool"], null) != resource.change.after.node_pool
	pool := tpu_pool(resource, ["node_pool", index])
}

tpu_pool(resource, at) := object.union(pool, {"machine_type": type, "generation": family.generation}) if {
	resource.mode == "managed"
	not resource.change.actions in [["delete"], ["forget"]]
	pool := {"address": resource.address, "at": at, "change": resource.change}
	type := text(pool, machine_path)
	family := facts.families[split(type, "-")[0]]
}

generation(pool) := facts.generations[pool.generation]

# Values. A function about a value that is not known yet, or that is a secret, is undefined, so that no rule judges it.

machine_path := ["node_config", 0, "machine_type"]

topology_path := ["placement_policy", 0, "tpu_topology"]

affinity_path := ["node_config", 0, "reservation_affinity", 0, "consume_reservation_type"]

size_paths := [
	["node_count"],
	["initial_node_count"],
	["autoscaling", 0, "min_node_count"],
	["autoscaling", 0, "max_node_count"],
]

value(pool, path) := object.get(pool.change.after, full, null) if {
	full := array.concat(pool.at, path)
	not hidden(pool.change, "after_unknown", full)
	not hidden(pool.change, "after_sensitive", full)
}

hidden(change, marks, path) if {
	some length in numbers.range(0, count(path))
	object.get(change, array.concat([marks], array.slice(path, 0, length)), false) == true
}

text(pool, path) := {true: given, false: ""}[is_string(given)] if given := value(pool, path)

text(pool, path) := "" if value(pool, path) == null

flag(pool, path) := value(pool, path) == true

texts(pool, path) := {item | some item in items} if {
	items := object.get({"items": value(pool, path)}, "items", [])
	every index, _ in items {
		value(pool, array.concat(path, [index])) == items[index]
	}
}

# Slices

sides(pool) := [to_number(side) | some side in split(topology, "x")] if {
	topology := text(pool, topology_path)
	regex.match(`^[1-9][0-9]{0,4}(x[1-9][0-9]{0,4}){1,2}$`, topology)
}

has_known_shape(pool) if text(pool, topology_path) != ""

has_known_shape(pool) if {
	text(pool, topology_path) == ""
	text(pool, ["placement_policy", 0, "policy_name"]) == ""
}

well_formed(pool) if count(sides(pool)) == generation(pool).dimensions

# The machine type does not offer the topology by a list.
unlisted(pool) if {
	well_formed(pool)
	machine := facts.machine_types[pool.machine_type]
	not machine.hosts[text(pool, topology_path)]
}

unlisted(pool) if {
	well_formed(pool)
	not facts.machine_types[pool.machine_type]
	topology := text(pool, topology_path)
	not generation(pool).topologies[topology]
	not topology in generation(pool).undocumented_topologies
}

above_the_list(pool) if product(sides(pool)) > generation(pool).custom_topologies.above_chips

# Some source has the topology, although it is on no list.
custom(pool) if {
	well_formed(pool)
	above_the_list(pool)
	rule := generation(pool).custom_topologies
	every side in sides(pool) {
		side % rule.multiple_of == 0
	}
	product(sides(pool)) <= rule.max_chips_of_any_source
	true in {rule.any_order, sides(pool) == sort(sides(pool))}
}

documented_custom(pool) if {
	product(sides(pool)) <= generation(pool).custom_topologies.max_chips
	sides(pool) == sort(sides(pool))
}

made_of_custom(pool) if pool.machine_type in generation(pool).custom_topologies.machine_types

another_machine(pool) if count(forming_machines(pool)) > 0

forming_machines(pool) := generation(pool).topologies[text(pool, topology_path)] if {
	facts.machine_types[pool.machine_type]
	not custom(pool)
}

forming_machines(pool) := generation(pool).custom_topologies.machine_types if {
	facts.machine_types[pool.machine_type]
	custom(pool)
}

offered(pool) := [topology | some topology, _ in machine.hosts] if machine := facts.machine_types[pool.machine_type]

offered(pool) := [topology | some topology, _ in generation(pool).topologies] if {
	not facts.machine_types[pool.machine_type]
}

# The hosts of a slice as the topology has them, also if the machine type is wrong for a custom topology.
hosts(pool) := 1 if {
	value(pool, ["placement_policy"]) in {null, []}
	value(pool, ["placement_policy", 0]) == null
}

hosts(pool) := facts.machine_types[pool.machine_type].hosts[text(pool, topology_path)]

hosts(pool) := floor(product(sides(pool)) / facts.machine_types[pool.machine_type].chips) if {
	unlisted(pool)
	custom(pool)
}

# The hosts of a slice that the machine type offers.
slice_hosts(pool) := 1 if {
	text(pool, topology_path) == ""
	has_known_shape(pool)
	facts.machine_types[pool.machine_type].single_host
}

slice_hosts(pool) := facts.machine_types[pool.machine_type].hosts[text(pool, topology_path)]

slice_hosts(pool) := hosts(pool) if {
	custom(pool)
	made_of_custom(pool)
}

# The shape of the slice; all shapes of the generation if machine type and topology do not fit.
shapes(pool) := [{"family": facts.machine_types[pool.machine_type].family, "kind": kind}] if {
	kind := {true: "single_host", false: "multi_host"}[slice_hosts(pool) == 1]
}

shapes(pool) := generation(pool).shapes if {
	has_known_shape(pool)
	not slice_hosts(pool)
}

needs_one_zone(pool) if hosts(pool) > 1

needs_one_zone(pool) if flag(pool, ["node_config", 0, "spot"])

needs_one_zone(pool) if on_request(pool)

# The size that the provider reports of an existing node pool beside the one that the configuration sets.
reported_size(pool, ["initial_node_count"]) if {
	pool.at == []
	pool.change.before.initial_node_count == pool.change.after.initial_node_count
	given_size(pool)
}

given_size(pool) if pool.change.after.node_count != null

given_size(pool) if hidden(pool.change, "after_unknown", ["node_count"])

# Zones

zone_of(pool) := zone if {
	zones := texts(pool, ["node_locations"])
	count(zones) == 1
	some zone in zones
	regex.match(`^[a-z]+-[a-z]+[0-9]+-(ai[0-9]+)?[a-z]$`, zone)
	region(location(pool)) in {"", region(zone)}
}

region(place) := concat("-", array.slice(split(place, "-"), 0, 2))

# The location of the cluster as far as it is known.
default location(_) := ""

location(pool) := own if {
	own := text(pool, ["location"])
	own != ""
}

location(pool) := found[0][1] if {
	text(pool, ["location"]) == ""
	pattern := `projects/[^/]+/(?:locations|zones)/([^/]+)/clusters/[^/]+$`
	found := regex.find_all_string_submatch_n(pattern, text(pool, ["cluster"]), 1)
}

location(pool) := text(object.union(pool, {"at": []}), ["location"]) if {
	pool.at != []
	text(pool, ["location"]) == ""
}

# Capacity

# What is known about the capacity mode of a node pool, if all its possible shapes have this verdict.
capacity_with_verdict(pool, verdict) := offerings[0] if {
	offerings := [facts.families[shape.family].capacity[capacity(pool)] | some shape in shapes(pool)]
	every offering in offerings {
		offering.offer == verdict
	}
}

capacity_modes(pool) := [mode | some mode, other in family.capacity; other.offer == "yes"] if {
	family := facts.families[shapes(pool)[0].family]
}

# How the nodes are obtained; undefined if several modes conflict, which other rules report.
capacity(pool) := mode if {
	flag(pool, ["node_config", 0, "preemptible"]) == false
	text(pool, ["node_config", 0, "max_run_duration"])
	given := {
		"spot": flag(pool, ["node_config", 0, "spot"]),
		"reservation": reserved(pool),
		"on request": on_request(pool),
	}
	chosen := [name | some name, is_given in given; is_given]
	mode := mode_of(pool, chosen)
}

mode_of(_, []) := "on_demand"

mode_of(_, ["spot"]) := "spot"

mode_of(_, ["reservation"]) := "reservation"

mode_of(pool, ["on request"]) := {
	[true, false]: "flex_start",
	[true, true]: "flex_start_queued",
	[false, true]: "queued",
}[[flag(pool, ["node_config", 0, "flex_start"]), flag(pool, ["queued_provisioning", 0, "enabled"])]]

reserved(pool) := false if text(pool, affinity_path) != "SPECIFIC_RESERVATION"

reserved(pool) if {
	text(pool, affinity_path) == "SPECIFIC_RESERVATION"
	texts(pool, ["node_config", 0, "reservation_affinity", 0, "values"])
}

takes_reservation(pool) := text(pool, affinity_path) in {"SPECIFIC_RESERVATION", "ANY_RESERVATION"}

on_request(pool) := true in {
	flag(pool, ["node_config", 0, "flex_start"]),
	flag(pool, ["queued_provisioning", 0, "enabled"]),
}

# What is reported

severity(fact) := {true: "error", false: "warning"}[fact.certain]

found(pool, rule, path, level, details) := {
	"rule": rule,
	"severity": level,
	"address": pool.address,
	"property": property,
	"given": value(pool, path),
	"allowed": details.allowed,
	"why": facts.rules[rule],
	"next": details.next,
	"msg": plain(sprintf(
		"%s: %s: %s. Allowed: %s. %s (%s)",
		[pool.address, property, details.problem, concat(", ", details.allowed), details.next, rule],
	)),
} if {
	property := concat(".", [step | some step in array.concat(pool.at, path); is_string(step)])
}

# What a terminal and the log of a CI show on one line.
plain(message) := regex.replace(message, `[^\x20-\x7e]`, "?")
