"""The module `registry`: the entries as the caller may see them, their versions, and changes to them."""

from __future__ import annotations

from runtime.lua.module import module_from_folder

MODULE = module_from_folder(
    __file__,
    page="lua/core/registry",
    summary="Read entries, find them by kind and meta, make changes, see versions.",
    classes=("storage", "nondeterministic"),
    commands=(
        "registry.get",
        "registry.find",
        "registry.entries",
        "registry.namespace",
        "registry.version",
        "registry.versions",
        "registry.apply",
        "registry.apply_version",
        "registry.delta",
    ),
)
