"""JSON documents from dataclasses: one definition writes a document, reads it strictly and gives its JSON Schema."""
