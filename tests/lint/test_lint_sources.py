"""Each source under `sources` has exactly the findings that its marks `--> CODE` name, each on its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runtime.lua.library import Library
from runtime.lua.lint.codes import RULES
from runtime.lua.lint.entries import EntryLinter
from runtime.registry.entry import Entry, Origin

HERE = Path(__file__).parent
SOURCES = sorted((HERE / "sources").glob("*.lua"))
LIBRARY = Library.discover()
MARK = re.compile(r"-->((?: [A-Z]\d{4})+)$")
SHARED = "here and in what is imported: they share one environment, so rename one"
STYLE = {code for code, rule in RULES.items() if rule.on_request}


def library(name: str, source: str, **data: object) -> Entry:
    return Entry(f"app:{name}", "library.lua", {}, {"source": source, **data}, Origin.FILE)


LIBRARIES = [
    library("lib", 'local lib = {}\nfunction lib.hello(name) return "hello " .. name end\nreturn lib'),
    library("open", "return setmetatable({}, { __index = function() end })"),
    library("grown", "return { first = function() end }"),
]
FOUND = {entry.id: entry for entry in LIBRARIES}


def entry_of(path: Path) -> Entry:
    text = path.read_text(encoding="utf-8")
    modules = re.search(r"^-- modules: (.*)$", text, re.M)
    imports = re.search(r"^-- imports: (.*)$", text, re.M)
    data = {
        "source": text,
        "method": "main",
        "modules": modules[1].split() if modules else [],
        "imports": dict(each.split("=") for each in imports[1].split(", ")) if imports else {},
    }
    return Entry(f"app:{path.stem}", "function.lua", {}, data, Origin.FILE)


def linter(**options: object) -> EntryLinter:
    return EntryLinter(LIBRARY, FOUND.get, libraries=lambda: list(FOUND), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_source_has_the_findings_that_it_marks(path: Path) -> None:
    wanted = {
        (number, code)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (mark := MARK.search(line))
        for code in mark[1].split()
    }
    asked = STYLE if path.stem == "style" else set()
    found = [each for each in linter().findings(entry_of(path)) if each.code not in STYLE - asked]
    assert {(each.place.line, each.code) for each in found} == wanted
    assert all(each.place.path == f"app:{path.stem}" and each.place.column for each in found)
    assert all(each.level == RULES[each.code].level for each in found)


def said(source: str, **data: object) -> list[str]:
    entry = Entry("app:x", "function.lua", {}, {"source": source, "method": "main", **data}, Origin.FILE)
    return [f"{each.code} {each.message}" for each in linter().findings(entry) if each.code not in STYLE]


def test_a_misspelt_name_is_told_what_was_meant() -> None:
    assert said("local width = 1\nreturn widht") == ["E0024 `widht` is not defined; did you mean `width`?"]
    assert said("return json.encod()", modules=["json"]) == [
        "E0025 `json` has no field `encod`; did you mean `encode`?"
    ]
    assert said("return lib.helo()", imports={"lib": "app:lib"}) == [
        "E0025 `app:lib` has no field `helo`; did you mean `hello`?"
    ]
    assert said('return require("jsn")') == [
        "E0020 `jsn` is required and not declared: add it to the `imports` of the entry; did you mean `json`?"
    ]


def test_a_global_that_is_a_module_is_told_to_be_declared() -> None:
    assert said("return time.now()") == [
        "E0024 `time` is not defined: add `time` to the `modules` of the entry"
    ]


def test_what_is_declared_in_a_block_that_has_ended_is_said() -> None:
    assert said("do\n  local inner = 1\n  print(inner)\nend\nreturn inner") == [
        "E0024 `inner` is not defined: what is declared 3 lines above is not visible here"
    ]


def test_a_global_of_a_library_is_defined_for_those_who_import_it() -> None:
    FOUND["app:global"] = library("global", "function greet() end\nreturn {}")
    try:
        assert said("return greet()", imports={"g": "app:global"}) == []
        assert said("return greet()") != []
    finally:
        del FOUND["app:global"]


def test_what_is_declared_wrongly_is_found_at_once() -> None:
    found = said(
        "return 1",
        modules=["json", "jsn", "json", "llm_host"],
        imports={"a": "app:lib", "b": "app:lib", "json": "app:open", "print": "app:grown", "x": "app:libb"},
    )
    assert sorted(found) == sorted(
        [
            "E0021 module `jsn` does not exist; did you mean `json`?",
            "E0023 `json` is named twice: remove one of them",
            "E0021 module `llm_host` belongs to the runtime's own entries",
            "E0023 `app:lib` is named twice: remove one of them",
            "E0023 alias `json` means `json` and `app:open`: rename the import",
            "W0022 import `print` hides the `print` that every script has: give it another alias",
            "E0022 import `app:libb` does not exist; did you mean `app:lib`?",
            f"E0023 alias `json` means `app:open` and `json`, {SHARED}",
        ]
    )


def test_an_alias_that_means_something_else_in_a_library_collides() -> None:
    FOUND["app:user"] = library("user", "return {}", imports={"lib": "app:open"})
    try:
        assert said("return 1", imports={"lib": "app:lib", "user": "app:user"}) == [
            f"E0023 alias `lib` means `app:lib` and `app:open`, {SHARED}"
        ]
    finally:
        del FOUND["app:user"]


def test_what_was_found_once_is_not_looked_for_again_and_moves_with_its_source() -> None:
    entry = entry_of(HERE / "sources" / "undefined_names.lua")
    kept: dict[str, list[object]] = {}
    first = linter(kept=kept).findings(entry)
    (key,) = kept
    kept[key] = kept[key][:1]
    assert len(linter(kept=kept).findings(entry)) == 1 < len(first)
    other = Entry("app:y", "function.lua", {}, {**entry.fields, "modules": []}, Origin.FILE)
    linter(kept=kept).findings(other)
    assert len(kept) == 2


def test_types_are_checked_where_that_is_asked_for() -> None:
    data = {"source": 'local x: number = "a"\nreturn x', "method": "main"}
    entry = Entry("app:x", "function.lua", {}, data, Origin.FILE)
    assert [each.code for each in linter().findings(entry)] == []
    (found,) = linter(types=True).findings(entry)
    assert (found.code, found.place.line, found.place.column, found.entry) == ("E0001", 1, 19, "app:x")


def test_the_runtimes_own_entries_are_without_findings() -> None:
    from runtime.bundled import COMPONENTS, bundled_root
    from runtime.registry.assemble import Tree, assemble

    root = bundled_root()
    entries = {
        entry.id: entry
        for entry in assemble(Tree(root / each, root, Origin.MODULE, {"module": each}) for each in COMPONENTS)
    }
    own = EntryLinter(LIBRARY, entries.get, libraries=lambda: list(entries))
    lua = [entry for entry in entries.values() if entry.kind.endswith(".lua")]
    assert [str(found) for entry in lua for found in own.findings(entry)] == []
