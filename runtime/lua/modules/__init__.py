"""The Lua modules that a program may ask for: one folder each, with its code, its types and its page."""
