"""The matcher written in Lua gives what Lua's own gives, for any pattern and subject."""

from __future__ import annotations

from importlib import resources
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lua_bench import Bench

from runtime.lua.state import new_lua

COMPARE = b"""
local library, find, match, gmatch, gsub = ...
local pack, unpack, tostring = table.pack, table.unpack, tostring
local function show(results)
  for index = 1, results.n do results[index] = tostring(results[index]) end
  return table.concat(results, "|", 1, results.n)
end
local function attempt(fn, ...)
  local results = pack(pcall(fn, ...))
  if results[1] then return show(results) end
  return "error"
end
local function all(step)
  local found = {}
  for a, b in step do
    found[#found + 1] = tostring(a) .. "," .. tostring(b)
    if #found > 50 then break end
  end
  return table.concat(found, ";")
end
local function report(find, match, gmatch, gsub, s, p, r)
  local each = attempt(function() return all(gmatch(s, p, 1)) end)
  local found = { attempt(find, s, p, 1), attempt(match, s, p, 1), each }
  found[4], found[5] = attempt(gsub, s, p, r), attempt(gsub, s, p, r, 2)
  return table.concat(found, "/")
end
return function(s, p, r)
  -- A pattern without any of these is searched as plain text and never comes to a matcher.
  local plain = not find(p, "[%^%$%*%+%?%.%(%[%%%-]")
  local mine = report(plain and find or library.find, library.match, library.gmatch, library.gsub, s, p, r)
  return mine, report(find, match, gmatch, gsub, s, p, r)
end
"""


@pytest.fixture(scope="module")
def compare() -> Any:
    lua = new_lua(256 * 1024 * 1024)
    kernel = lua.table()
    folder = resources.files("runtime.lua").joinpath("kernel")
    for name in ("base", "objects", "errors", "matcher", "patterns"):
        lua.execute(folder.joinpath(f"{name}.lua").read_bytes(), kernel, name=b"=x")
    functions = lua.execute(b"return string.find, string.match, string.gmatch, string.gsub")
    return lua.execute(COMPARE, kernel[b"patterns"], *functions)


TABLE = [
    ("hello world", "o w", "x"),
    ("hello world", "(%w+) (%w+)", "%2 %1"),
    ("  trim me  ", "^%s*(.-)%s*$", "[%1]"),
    ("key = value", "^(%w+)%s*=%s*(%w+)$", "%0"),
    ("f(a(b)c)d", "%b()", "<%0>"),
    ("THE (quick) fox", "%f[%a]%a+", "W"),
    ("aaa", "a-", "x"),
    ("aaa", "a*", "x"),
    ("abc", "", "-"),
    ("abc", "()", "%1"),
    ("abcabc", "(abc)%1", "x"),
    ("2024-01-02", "(%d+)-(%d+)-(%d+)", "%3.%2.%1"),
    ("a]b^c-d", "[]^-]", "."),
    ("a]b", "[^]]", "."),
    ("x\0y", "%z", "0"),
    ("a.b", "%.", "%%"),
    ("abc", "[a-c]+$", "x"),
    ("abc", "^b", "x"),
    ("$100$", "$", "x"),
    ("a$b", "a$b", "x"),
    ("abc", "(a)(b)(c)", "%3%2%1%0"),
    ("abc", "%", "x"),
    ("abc", "[a", "x"),
    ("abc", "(a", "x"),
    ("abc", "a)", "x"),
    ("abc", "%1", "x"),
    ("abc", "()%1", "x"),
    ("abc", "b", "%2"),
    ("abc", "b", "%"),
    ("abc", "%b", "x"),
    ("abc", "%f", "x"),
    ("caf\u00e9", "[\u00e8-\u00ea]", "e"),
    ("ab" * 300, "(a-)(b-)c", "x"),
    ("a" * 250, "a?" * 210, "x"),
    ("\xff\xfe", "[\x80-\xff]", "x"),
]


@pytest.mark.parametrize("case", TABLE, ids=lambda case: repr(case[1]))
def test_known_patterns(compare: Any, case: tuple[str, str, str]) -> None:
    mine, theirs = compare(*(part.encode("latin-1") for part in case))
    assert mine == theirs


pieces = st.sampled_from(
    [
        "a",
        "b",
        ".",
        "%a",
        "%d",
        "%s",
        "%W",
        "[ab]",
        "[^a]",
        "[a-c%d]",
        "(",
        ")",
        "()",
        "%1",
        "%b()",
        "%f[a]",
        "^",
        "$",
        "%%",
        " ",
    ]
)
suffixes = st.sampled_from(["", "", "", "*", "+", "-", "?"])
patterns = st.lists(st.tuples(pieces, suffixes), max_size=6).map(
    lambda parts: "".join(a + b for a, b in parts)
)


@settings(max_examples=400, deadline=None)
@given(s=st.text("aab c1()$", max_size=12), p=patterns, r=st.sampled_from(["", "x", "%0", "%1", "[%0%%]"]))
def test_random_patterns(compare: Any, s: str, p: str, r: str) -> None:
    mine, theirs = compare(s.encode(), p.encode(), r.encode())
    assert mine == theirs, (s, p, r)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "local n = 0 for k in ('a=b;'):rep(20000):gmatch('(%w+)=(%w+)') do n = n + 1 end return n",
            20000,
        ),
        ("return (('x '):rep(50000):gsub('%s+$', ''):len())", 99999),
        ("return ('ab'):rep(50000):find('(a)(b)c-$', 99999)", 99999),
        ("local s, n = ('word '):rep(30000):gsub('(%w+) ', { word = 'x' }) return { #s, n }", [30000, 30000]),
        ("local s = ('a'):rep(100000) return s:match('^(.-)b') == nil", True),
        ("return ('x'):rep(3000000):find('y', 1, true) == nil", True),
        ("return (('aaab'):rep(1000000):find(('a'):rep(100000), 1, true)) == nil", True),
    ],
)
def test_long_subjects_give_the_same_through_the_sandbox(bench: Bench, body: str, expected: Any) -> None:
    assert bench.call(body) == expected
