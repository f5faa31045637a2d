"""The module `funcs`: calls of functions by their ids; the host checks, records and contains each call."""

from __future__ import annotations

from runtime.lua.module import module_from_folder

MODULE = module_from_folder(
    __file__,
    page="lua/core/funcs",
    summary="Call other functions by id, now or in the background, with context, actor or scope.",
    classes=("process", "nondeterministic"),
    commands=("funcs.call", "funcs.cancel"),
)
