"""Floor 5: what the host offers to Lua beside processes, each service asking the guard before it acts."""
