"""Each file `tests/lua/<module>/<case>.lua` states rules of that module, by raising where one does not hold.

A case that needs more modules than its own says so in its first line: `-- modules: json time`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from module_host import CASES, ModuleHost

from runtime.lua.library import Library

FILES = sorted(CASES.glob("*/*.lua"))
_MORE = re.compile(r"-- modules: (.+)")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_module_keeps_its_rules(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    more = _MORE.match(source)
    modules = dict.fromkeys([path.parent.name, *(more[1].split() if more else [])])
    host = ModuleHost(values={"request_id": "r-1", "nested": {"list": [1, 2]}})
    host.run(source, modules=list(modules), name=f"{path.parent.name}/{path.name}")


def test_every_pure_module_has_cases() -> None:
    library = Library.discover()
    pure = {name for name in library.names() if not library.get(name).commands}
    assert pure <= {path.parent.name for path in FILES}
