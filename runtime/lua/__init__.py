"""Floor 4: the Lua engine - one sandboxed Lua state, its kernel, its thread, and the library of modules.

It imports nothing of what does the work: a module yields a command, and the floor that owns the ability
answers it through `runtime.lua.dispatch`.
"""
