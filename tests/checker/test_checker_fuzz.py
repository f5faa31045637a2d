"""Whatever parses is answered: the checker raises nothing and takes no longer than its bounds allow."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from runtime.core.errors import Invalid
from runtime.lua.checker.check import examine
from runtime.lua.checker.environment import Environment
from runtime.lua.typed.parser import parse
from runtime.lua.typed.tokens import KEYWORDS, Source, cut

HERE = Path(__file__).parent
FILES = [
    path.read_text()
    for folder in (
        HERE / "valid",
        HERE / "wrong",
        HERE.parent / "typed" / "values",
        HERE.parent / "typed" / "valid",
    )
    for path in sorted(folder.glob("*.lua"))
]
SECONDS = 10.0


def kind_of(token: str) -> str:
    """Return what a token may be exchanged with."""
    if token.isidentifier() and token not in KEYWORDS:
        return "name"
    return "value" if token[0] in "\"'0123456789" or token in ("nil", "true", "false") else token


def checked(text: str) -> bool:
    """Check `text` where it parses; return whether it does."""
    try:
        tree = parse(text, "f.lua")
    except Invalid:
        return False
    began = time.monotonic()
    examine(tree, Environment())
    assert time.monotonic() - began < SECONDS
    return True


def words(text: str) -> list[str]:
    tokens = cut(Source(text, "f.lua"))
    return tokens.texts[:-1]


def mutated(pieces: list[str], dice: random.Random) -> str:
    """Return the source with some tokens taken out, doubled, exchanged, or taken from another file."""
    pieces = list(pieces)
    for _ in range(dice.randint(1, 2)):
        at, other = dice.randrange(len(pieces)), dice.randrange(len(pieces))
        match dice.randrange(12):
            case 0:
                del pieces[at]
            case 1:
                pieces.insert(at, pieces[other])
            case 2:
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case 3 | 4 | 5 | 6 | 7:
                alike = [each for each in pieces if kind_of(each) == kind_of(pieces[at])]
                pieces[at] = dice.choice(alike)
            case 8 | 9 if kind_of(pieces[at]) == "value":
                pieces[at] = dice.choice(
                    ["nil", "{}", "(f)", "x.y", "function() end", "x :: any", '"a"', "1"]
                )
            case _:
                strange = words(dice.choice(FILES))
                start = dice.randrange(len(strange))
                pieces[at:at] = strange[start : start + dice.randint(1, 12)]
        if not pieces:
            return ""
    return "\n".join(pieces)


@pytest.mark.parametrize("seed", range(12))
def test_no_mutated_source_makes_the_checker_fail(seed: int) -> None:
    dice = random.Random(seed)
    parsed = sum(checked(mutated(words(dice.choice(FILES)), dice)) for _ in range(400))
    assert parsed > 60


def test_pieces_of_all_files_together_are_checked() -> None:
    dice = random.Random(7)
    texts = [text for text in FILES if "\nreturn" not in text and "goto" not in text]
    for _ in range(20):
        dice.shuffle(texts)
        assert checked("\n".join(f"do\n{text}\nend" for text in texts))


N = 3000
TOWERS = {
    "additions": "local x: number = 1" + " + 1" * N,
    "fields": "local a: any = 1 local x: number = a" + ".b" * N,
    "calls": "local a: any = 1 local x: number = a" + ":b()" * N,
    "curried": "local f: any = 1 local x: number = f" + "()" * N,
    "conditions": "local a: any = 1 local x: number = a" + " and a or a" * N,
    "comparisons": "local a: number? = 1 local x = a == 1" + " and a ~= 2 or a == 3" * N,
    "negations": "local a: number? = 1 if " + "not (" * 80 + "a and a" + ")" * 80 + " then end",
    "parentheses": "local x: number = " + "(" * 170 + "1" + ")" * 170,
    "tables": "local x: {any} = " + "{" * 170 + "}" * 170,
    "casts": "local x: number = 1" + " :: number" * N,
    "elements": "local x: {number} = {" + "1," * (20 * N) + "}",
    "literals": "type L = " + " | ".join(f'"{n}"' for n in range(N)) + ' local x: L = "2999" local y: L = x',
    "records": "type R = {"
    + ", ".join(f"f{n}: number" for n in range(N))
    + "} local r: any local x: R = r print(x.f1)",
    "locals": "\n".join(
        f"do local v{n}: number? = nil if v{n} then v{n} = v{n} + 1 end end" for n in range(N)
    ),
    "branches": "local x: number? = nil\n" + "\n".join("if x then x = nil else x = 1 end" for _ in range(N)),
    "elseifs": "local x: any = 1 if x then " + "elseif x == 1 then x = 2 " * N + "end",
    "doubled": "local function pair<T>(x: T): {a: T, b: T} return {a = x, b = x} end local p0 = pair(1)\n"
    + "\n".join(f"local p{n} = pair(p{n - 1})" for n in range(1, 180))
    + "\nlocal last: number = p179",
    "nested functions": "local f: any = " + "function(a: number): any return " * 80 + "1" + " end" * 80,
    "growing": "type G<T> = {next: G<{T}>, value: T} local g: G<number> local h: G<string> = g print(g"
    + ".next" * 200
    + ".value)",
    "itself": "type A = A & {x: A} type B = B | A type C = C? local a: A local b: B = a local c: C = b",
    "unions of unions": "type U0 = 1 | 2\n"
    + "\n".join(f"type U{n} = U{n - 1} | {{U{n - 1}}} | {{x: U{n - 1}}}" for n in range(1, 60))
    + "\nlocal a: U59 local b: U58 = a local c: U59 = b",
    "records of each other": "\n".join(
        f"type R{n} = {{a: R{(n + 1) % 40}?, b: R{(n * 7 + 3) % 40}?, c: R{(n * 3 + 1) % 40}?}}"
        for n in range(40)
    )
    + "\nlocal a: R0 local b: R1 = a local c: R2 = b",
    "functions of functions": "type F0 = (number) -> number\n"
    + "\n".join(f"type F{n} = (F{n - 1}, F{n - 1}) -> F{n - 1}" for n in range(1, 60))
    + "\nlocal a: F59 local b: F58 = a",
    "type of type": "local x: any = 1 local y: number = " + "type(" * 150 + "x" + ")" * 150 + ' == "a"',
    "is of is": "type T = number if " + "T:is(" * 150 + "1" + ")" * 150 + " then end",
}


@pytest.mark.parametrize("tower", TOWERS)
def test_what_is_long_deep_or_endless_is_answered_in_time(tower: str) -> None:
    checked(TOWERS[tower])
