"""The module `ctx`: reads the values that the caller of a function or the starter of a process gave along."""

from __future__ import annotations

from runtime.lua.module import module_from_folder

MODULE = module_from_folder(
    __file__,
    page="lua/core/context",
    summary="Values that come along with a call: request ids, session ids and the like.",
    classes=("nondeterministic",),
)
