"""The ambient module `process`: who the running process is, and its messages."""

from __future__ import annotations

from runtime.lua.module import module_from_folder

MODULE = module_from_folder(
    __file__,
    page="lua/core/process",
    summary="Processes: start, link, watch and end them; names, messages, topics and events.",
    ambient=True,
    classes=("process", "nondeterministic"),
    commands=("process.send",),
    withheld=(  # code born at run time starts and ends no process
        *("process.spawn", "process.exec", "process.builder", "process.upgrade"),
        *("process.terminate", "process.cancel", "process.monitor", "process.unmonitor"),
        *("process.link", "process.unlink", "process.get_options", "process.set_options"),
        *("process.registry.register", "process.registry.lookup", "process.registry.unregister"),
    ),
)
