"""No text makes the front end do anything but answer or raise Invalid, in time that grows with its length and
no faster; plain Lua is what it was, and stays it with types put in and erased again.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.core.errors import Invalid
from runtime.lua.state import new_lua
from runtime.lua.syntax import MAX_SOURCE, check_syntax, plain_lua
from runtime.lua.typed.erase import erase_tree
from runtime.lua.typed.nodes import Call, CallStatement, Declared
from runtime.lua.typed.parser import parse
from runtime.lua.typed.tokens import _KIND, KEYWORDS, Source, cut
from runtime.lua.typed.walk import parts

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    path.read_bytes().decode()
    for folder in ("tests/typed/valid", "tests/typed/plain", "tests/lua", "runtime/lua/kernel")
    for path in sorted((ROOT / folder).rglob("*.lua"))
]
PLAIN = [text for text in SOURCES if new_lua(0).eval(b"function(s) return load(s) ~= nil end")(text.encode())]
PIECES = (
    *sorted(KEYWORDS),
    *(sign for sign in _KIND if sign not in KEYWORDS),
    *(
        "x",
        "type",
        "as",
        "readonly",
        "typeof",
        "string",
        "const",
        "close",
        "T",
        "min",
        "1",
        "0x",
        "3.5e",
        ".5",
    ),
    *('"a"', "'", '"\\z', "[[", "]]", "[=[", "--", "--[[", "\n", "\r\n", "\\", "\0", "é", "\u2028", "\ud800"),
)
TYPES = st.recursive(
    st.sampled_from(
        ["number", "string?", "any", "T", "a.b", '"x"', "-1", "nil", "function", "typeof(x)", "{}"]
    ),
    lambda inner: st.one_of(
        inner.map("{{{}}}".format),
        inner.map("({})?".format),
        inner.map("({})[]".format),
        inner.map("{{[string]: {}}}".format),
        inner.map("readonly ({})".format),
        inner.map("({}) @min(0)".format),
        st.tuples(inner, inner).map(lambda both: "{{a: {}, b?: {}}}".format(*both)),
        st.tuples(inner, inner).map(lambda both: "({} | {})".format(*both)),
        st.tuples(inner, inner).map(lambda both: "({}) & ({})".format(*both)),
        st.tuples(inner, inner).map(lambda both: "((x: {}) -> ({}, ...any))".format(*both)),
        st.tuples(inner, inner).map(lambda both: "Map<{}, {}>".format(*both)),
    ),
    max_leaves=6,
)


def read(text: str) -> None:
    """Read a text in every way there is; Invalid is the one answer to what is no Lua."""
    for work in (lambda: check_syntax(text, "f.lua"), lambda: erase_tree(parse(text, "f.lua"))):
        try:
            work()
        except Invalid as error:
            assert error.place is None or error.place.line >= 0
            str(error)


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    read(text)


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(["", " "]))
@settings(max_examples=400, deadline=None)
def test_any_pieces_of_lua_are_read_or_refused(pieces: list[str], between: str) -> None:
    read(between.join(pieces))


@given(st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_any_damaged_source_is_read_or_refused(chance: random.Random) -> None:
    text = chance.choice(SOURCES)[:4000]
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(text))
        text = text[:at] + chance.choice(PIECES) + text[at + chance.randint(0, 5) :]
    read(text)


@pytest.mark.parametrize("index", range(len(PLAIN)))
def test_the_parser_reads_plain_lua_and_erases_nothing(index: int) -> None:
    text = PLAIN[index]
    assert plain_lua(text, "f.lua") == text
    erased = erase_tree(parse(text, "f.lua"))
    assert (erased.text, erased.prelude) == (text, "")


def with_types(text: str, type_: str, chance: random.Random) -> str:
    """Return plain Lua with a type at some of its declared names, and `!` behind some of its calls."""
    nodes = list(parts(parse(text, "f.lua").block))
    alone = {id(node.call) for node in nodes if isinstance(node, CallStatement)}
    put: dict[int, str] = {}
    for node in nodes:
        if isinstance(node, Declared) and not node.attribute and text.startswith(node.name, node.at):
            put[node.at + len(node.name)] = f": {type_}"
        elif isinstance(node, Call) and id(node) not in alone:
            put[node.end] = "!"
    for at in sorted(put, reverse=True):
        if chance.random() < 0.5:
            text = text[:at] + put[at] + text[at:]
    return text


@given(st.sampled_from(PLAIN), TYPES, st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_plain_lua_with_types_put_in_is_erased_to_what_it_was(
    text: str, type_: str, chance: random.Random
) -> None:
    erased = erase_tree(parse(with_types(text, type_, chance), "f.lua"))
    assert erased.prelude == ""
    assert cut(Source(erased.text, "f.lua")).texts == cut(Source(text, "f.lua")).texts


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests/typed/plain").glob("*.lua")), ids=lambda path: path.stem
)
def test_plain_files_run_the_same_with_types_put_in(path: Path) -> None:
    text = path.read_bytes().decode()
    for seed in range(5):
        typed = with_types(text, "{[string]: any}?", random.Random(seed))
        assert new_lua(0).execute(plain_lua(typed, path.name).encode()) == new_lua(0).execute(text.encode())


@given(TYPES)
@settings(max_examples=300, deadline=None)
def test_any_type_is_erased_wherever_it_may_stand(type_: str) -> None:
    lines = (
        "local x, T = 1, nil",
        f"type Alias<T> = {type_}",
        f"local a: {type_} = x",
        f"local function f<T>(p: {type_}, ...: {type_}): ({type_}, {type_}) return p end",
        f"local b = (x :: {type_})",
        f"local c = {{ (x as {type_}), k = x! }}",
        f"for i: {type_} = 1, 2 do end",
        "return f(a) == 1 and b == 1 and c[1] == 1 and c.k == 1",
    )
    erased = plain_lua("\n".join(lines), "f.lua")
    assert [len(line) for line in erased.split("\n")] == [len(line) for line in lines]
    assert new_lua(0).execute(erased.encode()) is True


TOWERS = {
    "parentheses": "local x: any = " + "(" * 100_000,
    "tables": "local x: any = " + "{" * 100_000 + "}" * 100_000,
    "types": "local x: " + "{" * 100_000,
    "arrows": "local x: " + "() -> " * 100_000 + "any",
    "generics": "type X = " + "A<" * 50_000 + "A" + ">" * 50_000,
    "functions": "local x: any = " + "function() return " * 20_000,
    "blocks": "local x: any = 1 " + "do " * 100_000,
    "casts in typeof": "local x = y" + " :: a<typeof(y" * 20_000,
    "unary": "local x: any = " + "not " * 100_000 + "1",
    "concat": "local x: any = " + "1 .. " * 100_000 + "1",
}
LONG = {
    "suffixes": "local x: any = y" + ".a" * 60_000,
    "sums": "local x: any = 1" + " + 1" * 40_000,
    "casts": "local x = y" + " :: any" * 50_000,
    "marks": "local x = y" + "!" * 50_000,
    "optional": "local x: any" + "?" * 50_000,
    "nested lists": "type X = " + "{A<A<A>>}|" * 20_000 + "nil",
    "open strings": 'local x: any = "' + '\\"' * 80_000,
    "open brackets": "local x: any = " + "[=[" * 60_000,
    "aliases": "".join(f"type A{n} = A{n + 1}\n" for n in range(10_000)) + "return A0",
    "instances": "type A<T> = {a: T, b: A<{T}>}\ntype B = A<string>\nreturn B",
    "doubled": "type A0 = string\n"
    + "".join(f"type A{n} = A{n - 1} | A{n - 1}\n" for n in range(1, 60))
    + "return A59",
    "constraints": "type A<T: A> = {x: T}\nreturn A",
}


@pytest.mark.parametrize("tower", TOWERS)
def test_what_is_nested_too_deep_is_refused(tower: str) -> None:
    with pytest.raises(Invalid):
        check_syntax(TOWERS[tower][:MAX_SOURCE], "tower.lua")


@pytest.mark.parametrize("case", LONG)
def test_what_is_long_is_read_at_all(case: str) -> None:
    started = time.process_time()
    read(LONG[case][:MAX_SOURCE])
    assert time.process_time() - started < 10.0


def steps(text: str) -> int:
    """Return how many functions are called to read a text: the same on every machine."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event.endswith("call")

    outer = sys.getprofile()
    sys.setprofile(note)
    try:
        erase_tree(parse(text, "f.lua"))
    except Invalid:
        pass
    finally:
        sys.setprofile(outer)
    return count


STARTS = ("local x = y", "local x: ", "type X = ", "return ", "x.y = ", "f(", "")
UNITS = (
    *(" :: a<typeof(y", " :: a<b<typeof(y", " :: typeof(function(): a<b", " as a<b, c<d"),
    *("(y :: a<typeof(", "() -> ", "y :: a<b, ", " :: a<b>>", "<typeof(y :: a<typeof(y :: a<b>) < y)"),
    *("A<", "{", "(x: ", "do ", "function(a: b<", "!"),
)
SOME_PIECES = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)


@given(st.sampled_from(STARTS), st.one_of(st.sampled_from(UNITS), SOME_PIECES))
@settings(max_examples=100, deadline=None)
def test_twice_the_text_takes_about_twice_the_steps(start: str, unit: str) -> None:
    closing = {"(": ")", "{": "}", "<": ">", "[": "]"}
    back = "".join(closing.get(letter, "") for letter in reversed(unit))
    for end in ("", back):
        once, twice = (steps(start + unit * count + end * count) for count in (200, 400))
        assert twice <= 2.2 * once + 500


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("levels", [8, 20, 40])
def test_a_trial_inside_a_trial_costs_no_more_for_each_level(unit: str, levels: int) -> None:
    once, twice = (steps("local x = y" + unit * count) for count in (levels, 2 * levels))
    assert twice <= 5 * once + 500
