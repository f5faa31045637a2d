"""Every form of typed Lua: a valid file runs and keeps its places, a broken one says where and why."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runtime.core.errors import Invalid
from runtime.lua.state import new_lua
from runtime.lua.syntax import check_syntax, plain_lua
from runtime.lua.typed.parser import parse

HERE = Path(__file__).parent
VALID = sorted((HERE / "valid").glob("*.lua"))
PLAIN = sorted((HERE / "plain").glob("*.lua"))
MESSAGES = dict(
    line.split(": ", 1)
    for line in (HERE / "broken" / "messages.txt").read_text(encoding="utf-8").splitlines()
)
TYPE_LINE = re.compile(r"local \w+=__t\(")


def read(path: Path) -> str:
    return path.read_bytes().decode()


def name(path: Path) -> str:
    return path.stem


def run(text: str) -> object:
    return new_lua(0).execute(text.encode())


@pytest.mark.parametrize("path", VALID, ids=name)
def test_a_valid_file_runs_with_its_types_erased(path: Path) -> None:
    check_syntax(read(path), path.name)
    assert run(plain_lua(read(path), path.name)) is True


@pytest.mark.parametrize("path", VALID, ids=name)
def test_what_stays_of_a_file_stays_where_it_was(path: Path) -> None:
    source = read(path)
    erased = plain_lua(source, path.name)
    assert erased != source
    before, after = source.split("\n"), erased.split("\n")
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        assert len(old) == len(new)
        for a, b in zip(old, new, strict=True):
            assert b in (a, " ", ";")


@pytest.mark.parametrize("path", PLAIN, ids=name)
def test_plain_lua_passes_byte_for_byte(path: Path) -> None:
    source = read(path)
    assert plain_lua(source, path.name) is source or plain_lua(source, path.name) == source
    assert run(source) is True


@pytest.mark.parametrize("path", PLAIN, ids=name)
def test_the_parser_finds_nothing_to_erase_in_plain_lua(path: Path) -> None:
    assert parse(read(path), path.name).spans == []


@pytest.mark.parametrize("case", MESSAGES)
def test_a_broken_file_says_where_and_what_was_expected(case: str) -> None:
    source = read(HERE / "broken" / f"{case}.lua")
    with pytest.raises(Invalid) as caught:
        check_syntax(source, f"{case}.lua")
    place = caught.value.place
    assert place is not None
    said = f"{place.line}:{place.column}: {caught.value.message.removeprefix('Lua syntax: ')}"
    assert said == MESSAGES[case]
    assert place.path == f"{case}.lua"


def test_each_broken_file_has_its_message() -> None:
    assert sorted(MESSAGES) == sorted(path.stem for path in (HERE / "broken").glob("*.lua"))


def test_the_frame_shows_the_users_own_text() -> None:
    with pytest.raises(Invalid) as caught:
        check_syntax("local a = 1\n\tlocal b: = 2\nlocal c = 3\n", "src/tool.lua")
    assert str(caught.value) == "src/tool.lua:2:11: Lua syntax: expected a type, found `=`"
    assert caught.value.details["frame"] == (
        "  1 | local a = 1\n> 2 |  local b: = 2\n    |           ^\n  3 | local c = 3"
    )
