"""Reads YAML files strictly, reports all errors at once, and knows the position of each value."""

from pulumi_gke_tpu.core.text.yamlfile.file import parse_yaml, read_content, read_yaml, unreadable
from pulumi_gke_tpu.core.text.yamlfile.refuse import YamlProblem
from pulumi_gke_tpu.core.text.yamlfile.source import YamlFile
