"""What a child imports before its walls go up: a module's functions find nothing that they did not bring.

Modules import what is heavy only when a function needs it. Inside the walls nothing can be read any more, so
for each such module the parts are named here, with the word that a source holds which needs them: a child of
its own loads them only then (a zygote has all). A program that hides the word does without.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from runtime.lua.functions import Functions
from runtime.lua.module import Module

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


def load(names: Iterable[str], late: Collection[str]) -> Functions:
    """Return the functions of the modules `names`; those of `late` with what they import later."""
    return Functions(_finder([_module(name) for name in names], late))


def load_all() -> tuple[list[Module], Functions]:
    """Return every module that code born at run time may have, and their functions, loaded as `load` does."""
    import pkgutil

    package = importlib.import_module(MODULES)
    names = sorted(info.name for info in pkgutil.iter_modules(package.__path__) if info.ispkg)
    modules = [module for module in map(_module, names) if not module.privileged]
    return modules, Functions(_finder(modules, LATE))


def _finder(
    modules: Iterable[Module], late: Iterable[str]
) -> Callable[[str, str], Callable[..., Any] | None]:
    functions = {module.name: module.functions for module in modules}
    for name in late:
        for part in LATE[name][1]:
            importlib.import_module(part)
        if name == "time":
            importlib.import_module(f"{MODULES}.time.zones").read_zones()

    def find(module: str, function: str) -> Callable[..., Any] | None:
        return functions[module].get(function) if module in functions else None

    return find


def _module(name: str) -> Module:
    found: Module = importlib.import_module(f"{MODULES}.{name}").MODULE
    return found
