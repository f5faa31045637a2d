"""The module `io`: the terminal of a process that runs on a terminal host."""

from __future__ import annotations

from runtime.lua.module import module_from_folder

MODULE = module_from_folder(
    __file__,
    page="lua/system/io",
    summary="Write to and read from the terminal of a command.",
    classes=("io", "nondeterministic"),
    commands=(
        "io.write",
        "io.flush",
        "io.readline",
        "io.read",
        "io.raw",
        "io.args",
        "io.available",
        "io.is_terminal",
    ),
)
