"""The records of the catalog: what each kind of fact holds, with its source, date and confidence."""
