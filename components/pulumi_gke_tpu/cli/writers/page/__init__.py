"""Formats of pages for people: titles, tables, lists."""
