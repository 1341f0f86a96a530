"""What every feature builds on: text, catalog, plan, fleet, graph and the rules about plans."""
