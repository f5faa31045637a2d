"""Floor 8: the composition root. It builds the parts, gives each what it needs, registers the handlers.

What a command does not use is not imported: each name here is looked up where it stands when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runtime.app.opening import Place, open_journal_to_read, open_registry_to_read
    from runtime.app.options import Options
    from runtime.app.policies import Policies
    from runtime.app.run import run_command, run_list

__all__ = [
    "Options",
    "Place",
    "Policies",
    "open_journal_to_read",
    "open_registry_to_read",
    "run_command",
    "run_list",
]
_HOMES = {
    "Options": "options",
    "Place": "opening",
    "Policies": "policies",
    "open_journal_to_read": "opening",
    "open_registry_to_read": "opening",
    "run_command": "run",
    "run_list": "run",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
