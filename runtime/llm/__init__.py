"""Floor 6: one contract for every model, its drivers, the choice of one and the record of each request."""
