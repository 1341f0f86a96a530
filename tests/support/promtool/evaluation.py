"""When the exported alerts fire about histories of metrics, by the real promtool."""

import pathlib
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

Labels = Mapping[str, str]
Series = Mapping[str, str]
"""A series -> its values, one for each minute, as promtool writes them: ``1x20 0x5``."""


class Alerts:
    """The rules of a file, and the program that evaluates them."""

    def __init__(self, rules: pathlib.Path, promtool: pathlib.Path) -> None:
        self._rules, self._promtool = rules, promtool
        (group,) = yaml.safe_load(rules.read_text(encoding="utf-8"))["groups"]
        self.rules: dict[str, Any] = {rule["alert"]: rule for rule in group["rules"]}

    def check(self) -> subprocess.CompletedProcess[str]:
        """Check the form of the rules, as an operator does before loading them."""
        return self._run("check", "rules", "--lint=all", "--lint-fatal", self._rules)

    def wrong(self, folder: pathlib.Path, series: Series, firing: Mapping[int, Mapping[str, Sequence[Labels]]]) -> str:
        """Compare what fires with what is expected; empty if they are equal.

        ``firing`` has for each minute the alerts that fire with the labels of their series. Every other alert of the
        file must be silent then.
        """
        cases = [
            {"eval_time": f"{minute}m", "alertname": name, "exp_alerts": [self._told(rule, labels) for labels in found]}
            for minute, alerts in firing.items()
            for name, rule in self.rules.items()
            for found in [alerts.get(name, ())]
        ]
        inputs = [{"series": name, "values": values} for name, values in series.items()]
        test = {"interval": "1m", "input_series": inputs, "alert_rule_test": cases}
        file = folder / "test.yaml"
        file.write_text(yaml.safe_dump({"rule_files": [str(self._rules)], "tests": [test]}), encoding="utf-8")
        done = self._run("test", "rules", file)
        return "" if done.returncode == 0 else " ".join((done.stdout + done.stderr).split())

    @staticmethod
    def _told(rule: Mapping[str, Any], labels: Labels) -> dict[str, Any]:
        return {"exp_labels": {**rule["labels"], **labels}, "exp_annotations": rule["annotations"]}

    def _run(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        command = [str(self._promtool), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
