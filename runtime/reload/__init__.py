"""Floor 7: edits of a project's files become one changeset each, while everything runs."""
