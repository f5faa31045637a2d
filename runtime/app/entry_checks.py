"""All that is asked about an entry before it is in force: every registry that may change asks it."""

from __future__ import annotations

from collections.abc import Callable

from runtime.app.checks import policy_check, program_check
from runtime.app.services import check_service
from runtime.app.subjects import check_authority
from runtime.app.type_checks import type_check
from runtime.funcs.contracts import check_binding
from runtime.lua.library import Library
from runtime.registry.registry import Registry
from runtime.registry.settings import Settings


def check_entries(
    registry: Registry, library: Library, settings: Settings, tell: Callable[[str], None]
) -> None:
    """Have `registry` ask every check from now on; `tell` hears what is wrong and does not refuse."""
    registry.check_with(policy_check)
    registry.check_with(program_check(library))
    registry.check_with(type_check(library, settings, tell))
    registry.check_with(check_binding)
    registry.check_with(check_service)
    registry.check_with(check_authority)
