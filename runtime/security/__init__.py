"""Floor 3: who asks (actor), by which policies (scope), what they decide (engine), what may go on (guard)."""
