"""Error objects in Lua: the same everywhere, whatever made them."""

from __future__ import annotations

import pytest
from lua_bench import Bench

CASES = {
    "an_error_is_userdata": ("return type(errors.new('x'))", "userdata"),
    "a_plain_error_has_defaults": (
        "local e = errors.new('x') return { e:message(), e:kind(), tostring(e:retryable()) }",
        ["x", "", "nil"],
    ),
    "a_full_error_keeps_all": (
        """
        local details = { id = 1 }
        local e = errors.new({ message = "m", kind = errors.NOT_FOUND, retryable = false, details = details })
        return { e:message(), e:kind(), e:retryable(), e:details().id, tostring(e) }
        """,
        ["m", "NotFound", False, 1, "m"],
    ),
    "errors_join_with_text_on_either_side": (
        "local e = errors.new('x') return { 'a ' .. e, e .. ' b', e .. e, 1 .. e }",
        ["a x", "x b", "xx", "1x"],
    ),
    "string_functions_take_errors": (
        """
        local e = errors.new("some text")
        local joined = table.concat({ e, "b" }, "-")
        return { (string.find(e, "text")), string.upper(e), string.format("%s!", e), joined }
        """,
        [6, "SOME TEXT", "some text!", "some text-b"],
    ),
    "wrap_keeps_kind_and_message": (
        """
        local e = errors.wrap(errors.new({ message = "inner", kind = "Invalid", retryable = true }), "outer")
        return { e:message(), e:kind(), e:retryable(), tostring(e), tostring(errors.wrap("text", "context")) }
        """,
        ["inner", "Invalid", True, "outer: inner", "context: text"],
    ),
    "is_compares_kinds": (
        """
        local invalid = errors.new({ kind = "Invalid" })
        return { errors.is(invalid, errors.INVALID), errors.is("x", ""), errors.is(nil, "") }
        """,
        [True, False, False],
    ),
    "call_stack_has_frames_of_the_script": (
        """
        local function inner() local e = errors.new("x") return e end
        local stack = errors.call_stack((inner()))
        return { stack.thread, stack.frames[1].source, stack.frames[1].line, stack.frames[1].name }
        """,
        ["main", "app:test", 3, "inner"],
    ),
    "stack_is_text": ("local s = errors.new('x'):stack() return s:find('app:test:2', 1, true) ~= nil", True),
    "kinds_are_constants": (
        "return { errors.RATE_LIMITED, errors.UNKNOWN, errors.PERMISSION_DENIED }",
        ["RateLimited", "", "PermissionDenied"],
    ),
    "raised_errors_are_caught_as_they_are": (
        "local e = errors.new('x') local ok, caught = pcall(error, e) return { ok, caught == e }",
        [False, True],
    ),
    "pcall_gives_lua_s_own_message": (
        "local _, err = pcall(function() return nil + 1 end) return err",
        "app:test:2: attempt to perform arithmetic on a nil value",
    ),
    "xpcall_hands_the_error_to_the_handler": (
        "return { xpcall(error, function(e) return 'handled ' .. e end, 'x') }",
        [False, "handled x"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_error_objects(bench: Bench, name: str) -> None:
    body, expected = CASES[name]
    assert bench.call(body) == expected
