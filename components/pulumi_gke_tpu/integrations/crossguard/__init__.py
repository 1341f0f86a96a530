"""Exports the policy pack for projects that name its former folder."""
