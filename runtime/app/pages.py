"""The pages that `doc_search` reads: one for each Lua module that exists, and those about writing Lua."""

from __future__ import annotations

import re
from pathlib import Path

from runtime.lua import pages as general
from runtime.lua.library import Library
from runtime.services.documentation import Documentation, Page

_TITLE = re.compile(r"^# +(.+)$", re.MULTILINE)


def documentation(library: Library) -> Documentation:
    """Return the documentation of `library`: pages of the modules that scripts can use, and general ones."""
    found = {}
    for name in library.names():
        module = library.get(name)
        if module.page and not module.privileged and (text := module.spec()):
            found[module.page] = Page(module.page, _title(text, name), module.summary, text)
    folder = Path(general.__file__).parent
    for path in sorted(folder.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        route = "lua/" + path.relative_to(folder).with_suffix("").as_posix()
        found[route] = Page(route, _title(text, path.stem), "", text)
    return Documentation(found)


def _title(text: str, otherwise: str) -> str:
    match = _TITLE.search(text)
    return match[1].strip() if match else otherwise
