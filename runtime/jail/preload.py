"""What a child imports before its walls go up: a module's functions find nothing that they did not bring.

Modules import what is heavy only when a function needs it. Inside the walls nothing can be read any more, so
for each such module the parts are named here and loaded with it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping

from runtime.lua.library import Library
from runtime.lua.module import Module

MODULES = "runtime.lua.modules"

LATE: Mapping[str, tuple[str, ...]] = {
    "crypto": (
        "cryptography.exceptions",
        "cryptography.x509",
        "cryptography.hazmat.primitives.ciphers.aead",
        "cryptography.hazmat.primitives.hashes",
        "cryptography.hazmat.primitives.asymmetric.padding",
        "cryptography.hazmat.primitives.asymmetric.rsa",
        "cryptography.hazmat.primitives.serialization",
    ),
    "json": (f"{MODULES}.json.schema", "jsonschema", "jsonschema.exceptions", "referencing", "re2"),
    "payload": (f"{MODULES}.yaml",),
    "text": ("re2",),
}


def load(names: Iterable[str]) -> Library:
    """Return the library of the modules `names` with all that their functions import later."""
    found: list[Module] = []
    for name in names:
        found.append(importlib.import_module(f"{MODULES}.{name}").MODULE)
        for late in LATE.get(name, ()):
            importlib.import_module(late)
        if name == "time":
            importlib.import_module(f"{MODULES}.time.zones").read_zones()
    return Library(found)


def load_all() -> Library:
    """Return the library of every module there is, loaded as `load` does."""
    package = importlib.import_module(MODULES)
    return load(sorted(info.name for info in pkgutil.iter_modules(package.__path__) if info.ispkg))
