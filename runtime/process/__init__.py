"""Floor 5: tasks - what runs where, the messages between them, and the commands that they have in flight."""
