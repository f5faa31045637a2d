"""Schemas that providers refuse, one file each: {schema, problems = parts of what is said, none if good}."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runtime.llm.request import Tool
from runtime.llm.schema import (
    MAX_DEPTH,
    MAX_PROBLEMS,
    check_tool_schema,
    sendable_schema,
    sendable_tools,
)

CASES = sorted((Path(__file__).parent / "schemas").glob("*.json"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_schema_is_judged_as_its_file_says(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    found = check_tool_schema(case["schema"])
    assert len(found) >= len(case["problems"])
    assert bool(found) == bool(case["problems"]), found
    for part in case["problems"]:
        assert any(part in problem for problem in found), found


def test_depth_and_size_are_bounded() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(MAX_DEPTH + 1):
        deep = {"type": "object", "properties": {"a": deep}}
    assert any("nested deeper" in problem for problem in check_tool_schema(deep))
    endless: list[Any] = []
    endless.append(endless)
    assert check_tool_schema({"type": "object", "properties": {}, "default": endless})
    large = {"type": "object", "properties": {"a": {"type": "string", "description": "x" * 40_000}}}
    assert any("characters" in problem for problem in check_tool_schema(large))
    wide = {"type": "object", "properties": {f"p{n}": {} for n in range(600)}}
    assert any("600 properties" in problem for problem in check_tool_schema(wide))


def test_a_bad_schema_leaves_out_its_tool_and_no_other() -> None:
    good, bad = Tool("a", schema={"type": "object", "properties": {}}), Tool("b", schema={"type": "array"})
    tools, dropped = sendable_tools([bad, good, Tool("c"), Tool("a")])
    assert [tool.name for tool in tools] == ["a", "c"]
    assert "without `items`" in dropped["b"]
    assert dropped["a"] == "another tool has this name"


def test_an_empty_table_of_lua_is_sent_as_what_was_meant_everywhere() -> None:
    given: dict[str, Any] = {
        "type": "object",
        "properties": {
            "a": {"type": "object", "properties": [], "required": {}},
            "b": [],
            "c": {"type": "array", "items": [], "default": [], "enum": [[], {}]},
        },
        "required": {},
        "$defs": [],
    }
    assert sendable_schema(given) == {
        "type": "object",
        "properties": {
            "a": {"type": "object", "properties": {}, "required": []},
            "b": {},
            "c": {"type": "array", "items": {}, "default": [], "enum": [[], {}]},
        },
        "required": [],
        "$defs": {},
    }


def test_what_is_said_of_one_schema_is_bounded() -> None:
    properties = {f"p{n}": {"type": "string", "description": ["x" * 1000]} for n in range(30)}
    found = check_tool_schema({"type": "object", "properties": properties})
    assert len(found) == MAX_PROBLEMS
    assert all(len(problem) < 300 for problem in found)
