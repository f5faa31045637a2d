"""Floor 6: calls of functions by id, checked, recorded where they are tools, and run where they may."""
