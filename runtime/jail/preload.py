"""What a child imports before its walls go up: a module's functions find nothing that they did not bring.

Modules import what is heavy only when a function needs it. Inside the walls nothing can be read any more, so
for each such module the parts are named here, with the word that a source holds which needs them: a child of
its own loads them only then (a zygote has all). A program that hides the word does without.
"""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterable, Mapping

from runtime.lua.library import Library
from runtime.lua.module import Module
from runtime.lua.program import Program

MODULES = "runtime.lua.modules"

LATE: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "crypto": (
        "crypto",
        (
            "cryptography.exceptions",
            "cryptography.x509",
            "cryptography.hazmat.primitives.ciphers.aead",
            "cryptography.hazmat.primitives.hashes",
            "cryptography.hazmat.primitives.asymmetric.padding",
            "cryptography.hazmat.primitives.asymmetric.rsa",
            "cryptography.hazmat.primitives.serialization",
        ),
    ),
    "json": (
        "validate",
        (f"{MODULES}.json.schema", "jsonschema", "jsonschema.exceptions", "referencing", "re2"),
    ),
    "payload": ("yaml", (f"{MODULES}.yaml",)),
    "text": ("regexp", ("re2",)),
    "time": ("location", ()),
    "types": ('{"pattern",', ("runtime.lua.typed.validators", "re2")),
}
"""Module -> the word, in lower case, and what is imported late; for `time` it is the zones that are read.

`types` is no module: every program may hold a type with a pattern.
"""


def needed_late(program: Program, names: Iterable[str]) -> list[str]:
    """Return which of the modules `names` need their late parts in `program`."""
    text = "\n".join(chunk.source for chunk in (program.main, *program.libraries)).lower()
    return [name for name in (*names, "types") if name in LATE and LATE[name][0] in text]


def load(names: Iterable[str], late: Collection[str]) -> Library:
    """Return the library of the modules `names`; those of `late` with what they import later."""
    found: list[Module] = []
    for name in names:
        found.append(importlib.import_module(f"{MODULES}.{name}").MODULE)
    for name in late:
        for part in LATE[name][1]:
            importlib.import_module(part)
        if name == "time":
            importlib.import_module(f"{MODULES}.time.zones").read_zones()
    return Library(found)


def load_all() -> Library:
    """Return the library of every module there is, loaded as `load` does."""
    import pkgutil

    package = importlib.import_module(MODULES)
    return load(sorted(info.name for info in pkgutil.iter_modules(package.__path__) if info.ispkg), LATE)
