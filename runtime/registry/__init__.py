"""Floor 2: the registry of entries declared in YAML; a versioned projection of the journal."""
