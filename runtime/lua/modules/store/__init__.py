"""The module `store`: values kept by key for as long as the run lasts, shared by all who may read them."""

from __future__ import annotations

from runtime.lua.module import module_from_folder

MODULE = module_from_folder(
    __file__,
    page="lua/storage/store",
    summary="Keep values by key, with an end in time, and change them without losing another's change.",
    classes=("storage", "nondeterministic"),
    commands=(
        "store.get",
        "store.info",
        "store.key.get",
        "store.key.set",
        "store.key.delete",
        "store.key.has",
        "store.key.list",
    ),
)
