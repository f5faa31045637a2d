"""A JSON file is checked as JSON and then read by the YAML reader, which knows places and double keys."""

from __future__ import annotations

import json
import re
from typing import NoReturn

from runtime.core.errors import Invalid, Place

_PAIR = re.compile(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


def as_yaml(text: str, path: str) -> str:
    """Return the JSON document `text` in a form that YAML reads alike; raise Invalid where it is not JSON.

    The two differ in one thing: JSON writes characters beyond U+FFFF as two escapes.
    """
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        place = Place(path, error.lineno, error.colno)
        raise Invalid(f"invalid JSON: {error.msg[0].lower()}{error.msg[1:]}", place=place) from None
    except ValueError as error:
        raise Invalid(f"invalid JSON: {error}", place=Place(path)) from None
    except RecursionError:
        raise Invalid("invalid JSON: nested too deep", place=Place(path)) from None
    return _PAIR.sub(_one_escape, text)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"`{name}` is not a JSON number")


def _one_escape(match: re.Match[str]) -> str:
    high, low = int(match[2], 16), int(match[3], 16)
    return f"{match[1]}\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08X}"
