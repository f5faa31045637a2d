"""Floor 7: how a new ability comes to be in force. It knows entries and changes, and no agent."""
