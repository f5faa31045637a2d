"""Floor 0: errors, ids, values, canonical JSON, wire format and clock; imports nothing of the project."""
