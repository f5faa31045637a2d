"""What a jailed program may ask the host for: the commands of the modules that it declares, and no others.

Being allowed to ask is not yet being allowed: each handler asks policy for the caller all the same.
"""

from __future__ import annotations

from runtime.core.errors import PermissionDenied
from runtime.lua.library import Library
from runtime.lua.program import Program

ALWAYS = frozenset({"logger.print"})
"""What every program may say: a line for the log, bounded and masked by the host."""


def allowed_commands(program: Program, library: Library) -> frozenset[str]:
    """Return the commands of the modules that the closure of `program` declares.

    Ambient modules give none: what is not declared was not shown to whoever consented. Raises
    PermissionDenied for a program that holds a privileged module.
    """
    commands = set(ALWAYS)
    for name in program.modules:
        module = library.get(name)
        if module.privileged:
            raise PermissionDenied(
                f"module `{name}` is not available to code born at run time", details={"module": name}
            )
        commands.update(module.commands)
    return frozenset(commands)


def needed_modules(program: Program, library: Library) -> list[str]:
    """Return the names of the modules that a child must load: the declared and the ambient ones, sorted."""
    return sorted({*program.modules, *(module.name for module in library.ambient())})
