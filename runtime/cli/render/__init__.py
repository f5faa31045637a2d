"""How results, errors and questions look: for people, as plain text, or as one JSON object a line."""
