"""Floor 1: the append-only, hash-chained event log, the one record of what happened."""
