"""Where a source can run on for ever, a look at the bell is written into it, so that no hook need be armed.

An armed count hook makes Lua look after each instruction, which takes two to three times as long. Code runs
on for ever only by a loop, a jump or a call: each body of a loop and of a function begins with a look, and
each jump follows one. The bell is a local that is false until somebody rings. Lines stay what they are.
"""

from __future__ import annotations

import re
from functools import lru_cache

NAMES = ("__bell", "__look")
LOOK = " if __bell then __look() end "
HEAD = "local __bell, __look = ... return function(...) local _ENV = _ENV "
TAIL = "\nend"
_KERNEL_HEAD = "local K = ... local __bell, __look = false, K.look_inside local function body(...) "
_KERNEL_TAIL = "\nend K.join(body) return body(K)"

_TOKENS = re.compile(
    r"--\[(?P<c>=*)\[.*?\](?P=c)\]|--[^\r\n]*|\[(?P<s>=*)\[.*?\](?P=s)\]"
    r"""|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
    r"|(?P<word>\b(?:do|repeat|function|goto)\b)|(?P<shut>\))",
    re.DOTALL | re.ASCII,
)


@lru_cache(maxsize=256)
def guarded(source: str) -> str:
    """Return plain Lua, which parses, with looks; as it is where it uses one of the names itself."""
    if any(name in source for name in NAMES):
        return source
    return f"{HEAD}{_with_looks(source)}{TAIL}"


def guarded_kernel(source: str) -> str:
    """Return a file of the kernel with looks; it gets K as before."""
    return f"{_KERNEL_HEAD}{_with_looks(source)}{_KERNEL_TAIL}"


def _with_looks(source: str) -> str:
    names_parameters = False

    def look(found: re.Match[str]) -> str:
        nonlocal names_parameters
        text = found.group()
        if found["shut"]:
            ends, names_parameters = names_parameters, False
            return text + LOOK if ends else text
        match found["word"]:
            case "do" | "repeat":
                return text + LOOK
            case "goto":
                return LOOK + text
            case "function":
                names_parameters = True
        return text

    return _TOKENS.sub(look, source)
