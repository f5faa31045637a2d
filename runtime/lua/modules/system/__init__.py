"""The module `system`: what the host knows of itself, and the end of the run."""

from __future__ import annotations

from runtime.lua.module import module_from_folder

MODULE = module_from_folder(
    __file__,
    page="lua/system/system",
    summary="What the host knows of itself: memory, processes, hosts, services, modules; the end of the run.",
    classes=("process", "nondeterministic"),
    commands=("system.read",),
    withheld=("system.control", "system.collect", "system.exit", "system.lock", "system.unlock"),
)
