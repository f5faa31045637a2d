"""The library: the modules found under `runtime/lua/modules`, and the answer for one that is missing."""

from __future__ import annotations

import importlib
from collections.abc import Iterable

from runtime.core.errors import AlreadyExists, Internal, NotFound
from runtime.core.nearest import did_you_mean
from runtime.lua.module import Module


class Library:
    """An immutable set of modules by name."""

    def __init__(self, modules: Iterable[Module]) -> None:
        """Raise AlreadyExists when two modules have one name."""
        self._modules: dict[str, Module] = {}
        for module in modules:
            if module.name in self._modules:
                raise AlreadyExists(f"module `{module.name}` is there twice: give one of them another name")
            self._modules[module.name] = module

    @classmethod
    def discover(cls) -> Library:
        """Return the library of every folder under `runtime/lua/modules` that offers a `MODULE`.

        Raises Internal naming the folder that offers none.
        """
        import pkgutil

        package = importlib.import_module("runtime.lua.modules")
        found = []
        for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
            if not info.ispkg:
                continue
            part = importlib.import_module(f"{package.__name__}.{info.name}")
            module = getattr(part, "MODULE", None)
            if not isinstance(module, Module):
                raise Internal(f"`{part.__name__}` offers no `MODULE`: each module folder must")
            found.append(module)
        return cls(found)

    def get(self, name: str) -> Module:
        """Return the module `name`; raise NotFound with the names nearest to it."""
        module = self._modules.get(name)
        if module is None:
            hint = did_you_mean(name, self._modules)
            raise NotFound(f"module `{name}` is not available{hint}", details={"module": name})
        return module

    def names(self) -> list[str]:
        """Return the names of all modules, sorted."""
        return sorted(self._modules)

    def ambient(self) -> list[Module]:
        """Return the modules that every environment has, sorted by name."""
        return [self._modules[name] for name in self.names() if self._modules[name].ambient]

    def __contains__(self, name: object) -> bool:
        return name in self._modules
