"""The module `logger`: structured lines for the host's log; writing one never waits."""

from __future__ import annotations

from runtime.lua.module import module_from_folder

MODULE = module_from_folder(
    __file__,
    page="lua/system/logger",
    summary="Structured log lines with levels, fields and names.",
    classes=("io",),
    commands=("logger.log",),
)
