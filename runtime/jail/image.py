"""What a child gets that has nothing loaded: the kernel, the modules' Lua, and whose functions it imports.

All comes from the host's memory, so that a child reads no file but those of its imports.
"""

from __future__ import annotations

import re

from runtime.core.wire import pack
from runtime.jail.abilities import needed_modules
from runtime.jail.preload import LATE
from runtime.lua import rows
from runtime.lua.kernel_code import kernel
from runtime.lua.library import Library
from runtime.lua.program import Program


def image(program: Program, library: Library) -> tuple[object, ...]:
    """Return the kernel, the names of all modules, those of `program` as rows, and `functions` and `late`.

    `functions` are the modules whose Python functions it may call: an ambient one that `program` does not
    declare is imported only where its name stands in a source. `late` are those with parts to import late.
    """
    modules = [library.get(name) for name in needed_modules(program, library)]
    text = "\n".join(chunk.source for chunk in (program.main, *program.libraries))
    functions = [
        module.name
        for module in modules
        if module.functions and (module.name in program.modules or re.search(rf"\b{module.name}\b", text))
    ]
    late = [name for name in (*functions, "types") if name in LATE and LATE[name][0] in text.lower()]
    names = [name for name in library.names() if not library.get(name).privileged]
    return kernel(), pack(names), rows.modules(modules), functions, late
