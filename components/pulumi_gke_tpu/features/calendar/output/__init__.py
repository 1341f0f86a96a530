"""The calendar of plans as text, Markdown, JSON and iCalendar."""
