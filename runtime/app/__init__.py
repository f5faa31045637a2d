"""Floor 8: the composition root. It builds the parts, gives each what it needs, registers the handlers."""

from __future__ import annotations

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
