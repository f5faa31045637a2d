"""The module `env`: variables that the project declares, read and written as policy allows."""

from __future__ import annotations

from runtime.lua.module import module_from_folder

MODULE = module_from_folder(
    __file__,
    page="lua/system/env",
    summary="Read and set the variables that the project declares.",
    classes=("security", "nondeterministic"),
    commands=("env.get", "env.set", "env.get_all"),
)
