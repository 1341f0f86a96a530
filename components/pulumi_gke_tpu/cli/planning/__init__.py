"""Commands about capacity and cost."""
