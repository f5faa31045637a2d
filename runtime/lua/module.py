"""A Lua module: its Lua source, its pure Python functions and its page; it holds no authority.

What must wait or needs a guarded part goes to the host as a command that `module.lua` yields; `commands`
names those, so that a child's parent can check them, and `withheld` those that no child may give. `functions`
run at once in the thread of the Lua state (also in a jailed child), so they are pure, quick and take and give
plain data only.

`module.lua` is a chunk that each Lua state calls once as `chunk(host)`; it returns the module's table, which
the kernel freezes. What `host` offers is listed in `kernel/host.lua`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

SyncFunction = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Module:
    """One module of the library.

    `page` is the path of its documentation page, such as `lua/core/time`. `ambient` modules are in every
    environment; `privileged` ones are granted only to entries of origin `module`, and only to their own
    chunks. `classes` are the peer's module classes, such as `network`, that restrict evaluated code.
    """

    name: str
    lua: str
    functions: Mapping[str, SyncFunction] = field(default_factory=lambda: MappingProxyType({}))
    page: str = ""
    summary: str = ""
    ambient: bool = False
    privileged: bool = False
    classes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    spec_path: Path | None = None
    types_path: Path | None = None

    def spec(self) -> str:
        """Return the text of the module's documentation page, empty where it has none."""
        return self.spec_path.read_text(encoding="utf-8") if self.spec_path else ""

    def types(self) -> str:
        """Return the module's LuaLS annotations, empty where it has none."""
        return self.types_path.read_text(encoding="utf-8") if self.types_path else ""


def module_from_folder(
    file: str,
    *,
    name: str | None = None,
    functions: Mapping[str, SyncFunction] | None = None,
    page: str | None = None,
    summary: str = "",
    ambient: bool = False,
    privileged: bool = False,
    classes: tuple[str, ...] = (),
    commands: tuple[str, ...] = (),
    withheld: tuple[str, ...] = (),
) -> Module:
    """Return the module of the folder that holds `file` (pass `__file__`).

    `module.lua` is read now, `spec.md` and `types.d.lua` when somebody asks. The name is the folder's unless
    given; the page is `lua/<name>` unless given.
    """
    folder = Path(file).resolve().parent
    name = name or folder.name
    spec, types = folder / "spec.md", folder / "types.d.lua"
    return Module(
        name=name,
        lua=(folder / "module.lua").read_text(encoding="utf-8"),
        functions=MappingProxyType(dict(functions or {})),
        page=page if page is not None else f"lua/{name}",
        summary=summary,
        ambient=ambient,
        privileged=privileged,
        classes=classes,
        commands=commands,
        withheld=withheld,
        spec_path=spec if spec.is_file() else None,
        types_path=types if types.is_file() else None,
    )
