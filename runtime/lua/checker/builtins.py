"""The types of Lua's own functions: what they return, where that is clear.

Their arguments are not checked: a script may well call one to see it fail.
"""

from __future__ import annotations

from runtime.lua.checker.types import (
    ANY,
    BOOLEAN,
    FUNCTION,
    INTEGER,
    NEVER,
    NUMBER,
    STRING,
    TABLE,
    THREAD,
    Field,
    Function,
    Record,
    Type,
)


def gives(*returns: Type) -> Function:
    """Return a function of any arguments with these results."""
    return Function((), ANY, returns, annotated=False)


def table(**fields: Type) -> Record:
    """Return the type of a table of functions, which may have others besides."""
    return Record(tuple(Field(name, each) for name, each in fields.items()), open=True)


FREE = Function((), ANY, None, annotated=False)

_STRING: dict[str, Type] = {
    "upper": gives(STRING),
    "lower": gives(STRING),
    "rep": gives(STRING),
    "reverse": gives(STRING),
    "sub": gives(STRING),
    "format": gives(STRING),
    "gsub": gives(STRING, INTEGER),
    "len": gives(INTEGER),
    "char": gives(STRING),
    "pack": gives(STRING),
    **dict.fromkeys(("byte", "find", "match", "gmatch", "dump", "unpack", "packsize"), FREE),
}
STRING_METHODS: dict[str, Type] = dict(_STRING)
ERROR_METHODS: dict[str, Type] = {
    "message": gives(STRING),
    "kind": gives(STRING),
    "stack": gives(STRING),
    "retryable": FREE,
    "details": FREE,
}
_MATH: dict[str, Type] = {
    **dict.fromkeys(("floor", "ceil"), gives(INTEGER)),
    **dict.fromkeys(("sqrt", "sin", "cos", "tan", "exp", "log", "fmod", "pow"), gives(NUMBER)),
    **dict.fromkeys(("abs", "max", "min", "random"), FREE),
    "type": FREE,
    "pi": NUMBER,
    "huge": NUMBER,
    "maxinteger": INTEGER,
    "mininteger": INTEGER,
}
GLOBALS: dict[str, Type] = {
    "string": table(**_STRING),
    "math": table(**_MATH),
    "table": table(concat=gives(STRING), pack=gives(TABLE), create=gives(TABLE)),
    "os": table(time=gives(INTEGER), clock=gives(NUMBER)),
    "error": gives(NEVER),
    "tostring": gives(STRING),
    "type": gives(STRING),
    "print": gives(),
    "rawequal": gives(BOOLEAN),
    "rawlen": gives(INTEGER),
}
"""A global that is not here is `any`."""

CASTS: dict[str, Type] = {"string": STRING, "integer": INTEGER, "number": NUMBER, "boolean": BOOLEAN}
"""What the names of simple types give when they are called."""

BY_TYPE_NAME: dict[str, Type] = {
    "string": STRING,
    "number": NUMBER,
    "boolean": BOOLEAN,
    "table": TABLE,
    "function": FUNCTION,
    "thread": THREAD,
}
"""What `type(x) == name` says of a value of which nothing else is known."""
