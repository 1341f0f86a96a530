"""Where a finding comes from: its fact, else the references of its rule; and the addresses to read on."""

import dataclasses
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import Catalog, Fact
from pulumi_gke_tpu.core.rules import Hit, Rule, all_rules
from pulumi_gke_tpu.core.rules.engine.rule import rule_source
from pulumi_gke_tpu.core.rules.engine.run import finding_of, validate_together

FACT = Fact(source=("plan-tpus", "auto-upgrade-error", "about-tpus", "ai-zones-page"), as_of="2026", confidence="high")


def rule_of(*references: str, source: str = "") -> Rule[Any]:
    return dataclasses.replace(all_rules()[0], basis="format", note="", references=references, source=source)


def test_a_finding_with_a_fact_has_the_sources_of_the_fact(catalog: Catalog) -> None:
    finding = finding_of(rule_of("ai-zones-page"), Hit((), "a message", fact=FACT), catalog, {})
    plan_tpus, error = catalog.sources["plan-tpus"], catalog.sources["auto-upgrade-error"]
    assert finding.source == f"{plan_tpus.title}; {error.title} and 2 more, as of 2026"
    assert error.link == ""
    assert finding.links == (plan_tpus.url,)


def test_a_finding_without_a_fact_has_the_references_of_its_rule(catalog: Catalog) -> None:
    rule = rule_of("about-tpus", "autoscaler-disks", "plan-tpus", "ai-zones-page", source="observed that it is so")
    about, disks = catalog.sources["about-tpus"], catalog.sources["autoscaler-disks"]
    finding = finding_of(rule, Hit((), "a message"), catalog, {})
    assert finding.source == f"{about.title}; {disks.title} and 2 more; observed that it is so"
    assert finding.links == (about.link, disks.link)
    assert disks.link.startswith("https://github.com/GoogleCloudPlatform/cluster-autoscaler/blob/7d250507")


def test_a_finding_links_another_source_if_those_that_it_shows_have_no_address(catalog: Catalog) -> None:
    finding = finding_of(rule_of("auto-upgrade-error", "gke-upgrade-guide", "ai-zones-page"), Hit((), ""), catalog, {})
    assert not catalog.sources["gke-upgrade-guide"].link
    assert finding.links == (catalog.sources["ai-zones-page"].link,)
    assert finding_of(rule_of("auto-upgrade-error"), Hit((), ""), catalog, {}).links == ()


def test_a_rule_without_references_has_its_own_source() -> None:
    assert rule_source(rule_of(source="the form of a plan"), {}) == "the form of a plan"


def test_every_address_of_the_catalog_is_one_for_a_browser(catalog: Catalog) -> None:
    links = {name: source.link for name, source in catalog.sources.items() if source.link}
    assert len(links) > 100
    assert {name: link for name, link in links.items() if not link.startswith("https://") or "@" in link} == {}


def test_a_hit_in_several_documents_names_its_document(catalog: Catalog) -> None:
    rule = dataclasses.replace(rule_of(), check=lambda _: [Hit((), "a message")])
    with pytest.raises(ValueError, match="names no document"):
        validate_together([rule], None, catalog, None)
