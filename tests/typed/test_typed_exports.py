"""A method that a source surely does not give is known before it is called; what is unclear is not judged."""

from __future__ import annotations

import pytest

from runtime.lua.typed.exports import missing_method

LACKS = {
    "return { other = function() end }": "the table that it returns has `other`",
    "local function handler() end return { run = handler, n = 1 }": "that it returns has `n`, `run`",
    "return {}": "the table that it returns has nothing",
    "return { handler == 1 }": "the table that it returns has nothing",
    'return { ["run"] = print }': "the table that it returns has `run`",
    "return ({ run = print } :: any)": "the table that it returns has `run`",
    "local x = 1": "it returns nothing",
    "local function handler() return { run = 1 } end": "it returns nothing",
    "return": "it returns nothing",
    "return nil": "it returns nil",
    "return 'handler'": "it returns 'handler'",
    "local M = {} function M.run() end return M": "the table that it returns has `run`",
    "local M = { run = print } M.n = 1 return M": "the table that it returns has `n`, `run`",
    "local M: table = {} function M:run(): number return self.handler end return M": "has `run`",
}
HAS = [
    "return { handler = function() end }",
    "return { a = 1, handler = print }",
    "return function() end",
    "local function run() end return run",
    "return require('other')",
    "return setmetatable({}, { __index = print })",
    "local M = {} M.handler = print return M",
    "local M = {} function M.handler() end return M",
    "local M = {} function M:handler() end return M",
    "local M = {} M['hand' .. 'ler'] = print return M",
    "local M = {} fill(M) return M",
    "local M = {} M.run = print for _, n in ipairs(names) do M[n] = print end return M",
    "local M = {} M = other return M",
    "local M = {} local N = M N.handler = print return M",
    "local M = other return M",
    "if a then return { run = print } end return b",
    "do return a end",
    "local names = { run = 1 } return { [name] = print }",
    "return ...",
    "return a and { run = print } or b",
]


@pytest.mark.parametrize(("source", "said"), LACKS.items())
def test_what_is_surely_missing_is_said(source: str, said: str) -> None:
    found = missing_method(source, "app:f", "handler")
    assert found is not None
    assert said in found


@pytest.mark.parametrize("source", HAS)
def test_what_may_be_there_is_not_judged(source: str) -> None:
    assert missing_method(source, "app:f", "handler") is None


def test_a_field_that_is_no_function_is_none() -> None:
    source = "return { ['handler'] = { 1 } }"
    assert (
        missing_method(source, "app:f", "handler") == "`handler` of the table that it returns is no function"
    )
