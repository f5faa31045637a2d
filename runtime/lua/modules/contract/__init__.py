"""The module `contract`: services by what they promise; a binding says which function keeps each promise."""

from __future__ import annotations

from runtime.lua.module import module_from_folder

MODULE = module_from_folder(
    __file__,
    page="lua/core/contract",
    summary="Contracts: find who implements one, open a binding, call its methods.",
    classes=("process", "nondeterministic"),
    commands=(
        *("contract.get", "contract.find_implementations", "contract.builder"),
        *("contract.open", "contract.call", "contract.cancel"),
    ),
)
