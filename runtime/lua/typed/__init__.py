"""Typed Lua: what a source means without its types, and what its types are.

Erasure keeps every line; plain Lua passes byte for byte. docs/decisions/0003-typed-lua.md says how and why.
"""
