"""`lua.type_system` decides what type errors do when an entry is loaded or registered."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from runtime.app.traces import failure
from runtime.app.type_checks import type_check
from runtime.core.clock import SystemClock
from runtime.core.errors import Internal, Invalid, Many, NotFound, Place
from runtime.journal.memory import MemoryJournal
from runtime.lua.checker.entries import EntryChecker
from runtime.lua.library import Library
from runtime.registry.entry import Entry, Origin
from runtime.registry.loader import load_tree
from runtime.registry.registry import Registry
from runtime.registry.settings import Settings

WRONG = """local function main(): boolean
    local n: number = "x"
    return true
end
return { main = main }
"""
RIGHT = WRONG.replace('"x"', "1")


def entry(name: str, source: str, kind: str = "function.lua", **fields: Any) -> Entry:
    data = {"source": source, "method": "main", **fields}
    if kind == "library.lua":
        del data["method"]
    return Entry(f"app:{name}", kind, data=data, origin=Origin.FILE)


def registry(told: list[str] | None = None, **settings: bool) -> Registry:
    found = Settings()
    found.add([(f"lua.type_system.{key}", value, None) for key, value in settings.items()], "project")
    made = Registry(MemoryJournal(), SystemClock())
    made.check_with(type_check(Library.discover(), found, (told if told is not None else []).append))
    return made


@pytest.mark.parametrize("settings", [{}, {"strict": True}, {"enabled": False, "strict": True}])
def test_types_are_not_checked_unless_the_settings_say_so(settings: dict[str, bool]) -> None:
    told: list[str] = []
    assert registry(told, **settings).load([entry("f", WRONG)]).require("app:f")
    assert told == []


def test_without_strict_each_type_error_is_said_once_and_the_entry_counts() -> None:
    told: list[str] = []
    made = registry(told, enabled=True)
    made.load([entry("f", WRONG)])
    made.load([entry("f", WRONG), entry("g", RIGHT)])
    assert told == ['warning: app:f:2:23: Lua types: expected `number`, found `"x"` (E0001)']


def test_strict_refuses_an_entry_with_a_type_error_at_its_place() -> None:
    made = registry(enabled=True, strict=True)
    with pytest.raises(Invalid) as caught:
        made.load([entry("f", WRONG), entry("g", RIGHT)])
    error = caught.value
    assert (error.place, error.details["code"]) == (Place("app:f", 2, 23), "E0001")
    assert error.frame[1] == '> 2 |     local n: number = "x"'
    assert made.load([entry("g", RIGHT)]).require("app:g")


def test_strict_says_all_type_errors_of_an_entry() -> None:
    source = WRONG.replace("return true", "return 1")
    with pytest.raises(Many) as caught:
        registry(enabled=True, strict=True).load([entry("f", source)])
    assert [error.details["code"] for error in caught.value.errors] == ["E0001", "E0001"]


def test_a_type_error_in_yaml_is_told_by_the_lines_of_the_yaml(tmp_path: Path) -> None:
    folder = tmp_path / "src"
    folder.mkdir()
    rows = "".join(f"      {line}\n" for line in WRONG.splitlines())
    head = 'version: "1.0"\nnamespace: app\nentries:\n  - name: f\n    kind: function.lua\n    method: main\n'
    (folder / "_index.yaml").write_text(f"{head}    source: |\n{rows}")
    with pytest.raises(Invalid) as caught:
        registry(enabled=True, strict=True).load(load_tree(folder, project=tmp_path))
    assert caught.value.place == Place("src/_index.yaml", 9, 29)
    assert caught.value.frame[1] == '>  9 |           local n: number = "x"'


LIBRARY = """type Point = {x: number, y: number}
local M = {}
function M.sum(p: Point): number
    return p.x + p.y
end
M.Point = Point
return M
"""


def found(*entries: Entry) -> list[tuple[str, str]]:
    """Return (line, code) of the findings in the last of `entries`."""
    by_id = {each.id: each for each in entries}
    findings = EntryChecker(Library.discover()).findings(entries[-1], by_id.get)
    assert {each.entry for each in findings} <= {entries[-1].id}
    return [(str(each.place), each.code) for each in findings]


def test_an_entry_is_checked_with_the_types_of_what_it_imports() -> None:
    user = (
        'local geo = require("geo")\nlocal p: geo.Point = {x = 1}\nlocal s: string = geo.sum({x = 1, y = 2})'
    )
    imports = {"geo": "app:lib"}
    assert found(entry("lib", LIBRARY, "library.lua"), entry("f", user, imports=imports)) == [
        ("app:f:2:22", "E0001"),
        ("app:f:3:19", "E0001"),
    ]


def test_what_a_host_module_returns_is_known_where_it_is_clear() -> None:
    lines = [
        'local time, json = require("time"), require("json")',
        "local at: number = time.now()",
        "local text: string = time.now():unix()",
        "local n: integer = time.now():year()",
        "local encoded: string = json.encode({})",
        "local any_value: number = json.decode(encoded)",
        "local where: time.Location = time.utc",
    ]
    assert found(entry("f", "\n".join(lines), modules=["time", "json"])) == [
        ("app:f:2:20", "E0001"),
        ("app:f:3:22", "E0001"),
    ]


def test_libraries_that_import_each_other_are_answered() -> None:
    def one(name: str, other: str) -> Entry:
        source = f'local other = require("{other}")\nlocal n: number = "x"\nreturn {{other = other}}'
        return entry(name, source, "library.lua", imports={other: f"app:{other}"})

    assert found(one("a", "b"), one("b", "a")) == [("app:b:2:19", "E0001")]


def test_an_answer_is_kept_by_the_content_of_an_entry_and_its_imports() -> None:
    asked: list[str] = []
    library, user = (
        entry("lib", LIBRARY, "library.lua"),
        entry(
            "f",
            'local geo = require("geo")\nlocal n: number = geo.sum({x = 1, y = 1})',
            imports={"geo": "app:lib"},
        ),
    )
    held: dict[str, Entry] = {library.id: library}

    def lookup(entry_id: str) -> Entry | None:
        asked.append(entry_id)
        return held.get(entry_id)

    checker = EntryChecker(Library.discover())
    assert checker.findings(user, lookup) == ()
    held[library.id] = entry(
        "lib", LIBRARY.replace("): number", "): string").replace("p.x + p.y", '""'), "library.lua"
    )
    assert [each.code for each in checker.findings(user, lookup)] == ["E0001"]
    held.clear()
    assert checker.findings(user, lookup) == ()


@pytest.mark.parametrize(
    "data",
    [{}, {"source": 7}, {"source": "return return"}, {"source": WRONG, "imports": [1], "modules": {"a": 1}}],
)
def test_a_malformed_entry_is_left_to_other_checks(data: dict[str, Any]) -> None:
    broken = Entry("app:f", "function.lua", data=data)
    assert len(EntryChecker(Library.discover()).findings(broken, lambda _: None)) in (0, 1)


def traced(lines: Iterable[str]) -> Internal:
    error = Internal("src/a.lua:3: boom")
    error.stack = tuple(lines)
    return error


def test_a_fault_of_the_code_is_shown_with_its_lines() -> None:
    assert failure(traced(["src/a.lua:3 in inner", "src/a.lua:9\x1b[2J"])).splitlines() == [
        "error: src/a.lua:3: boom",
        "    at src/a.lua:3 in inner",
        "    at src/a.lua:9\\u{1b}[2J",
    ]
    assert failure(traced(f"src/a.lua:{n}" for n in range(30))).splitlines()[-1] == "    and 18 more"


def test_a_lack_is_shown_without_a_stack() -> None:
    error = NotFound("no such entry")
    error.stack = ("src/a.lua:3",)
    assert failure(error) == "error: no such entry"
