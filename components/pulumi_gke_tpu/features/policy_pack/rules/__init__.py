"""Rules about node pools of any Pulumi program, which no plan can break."""
