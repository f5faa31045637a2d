"""The ambient module `process`: who the running process is, and its messages."""

from __future__ import annotations

from runtime.lua.module import module_from_folder

MODULE = module_from_folder(
    __file__,
    page="lua/core/process",
    summary="The running process: its PID, messages to and from others, topics and events.",
    ambient=True,
    classes=("process", "nondeterministic"),
    commands=("process.send",),
)
