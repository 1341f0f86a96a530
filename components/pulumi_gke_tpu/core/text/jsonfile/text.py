"""The text of JSON documents."""

import json


def json_text(data: object) -> str:
    """A JSON document for people and programs, without a line break at its end."""
    return json.dumps(data, indent=2, ensure_ascii=False)
