"""The module `events`: a bus on which one says what happened and others hear of it."""

from __future__ import annotations

from runtime.lua.module import module_from_folder

MODULE = module_from_folder(
    __file__,
    page="lua/core/events",
    summary="An event bus: send events by system, kind and path, subscribe to them by patterns.",
    classes=("process", "nondeterministic"),
    commands=("events.send",),
    withheld=("events.subscribe", "events.unsubscribe"),  # what runs in a jail has no mailbox
)
