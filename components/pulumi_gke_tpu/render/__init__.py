"""What people and machines read: results of the other layers in text, Markdown, JSON and SARIF. It computes nothing."""
