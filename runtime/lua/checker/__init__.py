"""The static checker of typed Lua: what annotations say about values, and where that is broken.

Only what is clear is said: a value without an annotation is `any`, and `any` is never wrong. `check` finds
what is wrong in one source; `interface` says what a source offers to those who import it.
docs/guide/types.md lists the codes.
"""

from runtime.lua.checker.check import check, interface
from runtime.lua.checker.environment import Environment, Interface

__all__ = ["Environment", "Interface", "check", "interface"]
