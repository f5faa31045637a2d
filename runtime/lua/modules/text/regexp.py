"""Regular expressions on RE2: linear time on hostile patterns. Positions are 1-based bytes, as Lua counts.

Patterns and texts are matched as UTF-8; where either is no UTF-8, both are matched byte by byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from runtime.core.errors import Invalid
from runtime.core.values import Value

MAX_PATTERN = 64 * 1024
MAX_MATCHES = 100_000
MAX_MEMORY = 8 * 1024 * 1024
_REFERENCE = re.compile(rb"\$(?:(\$)|([A-Za-z0-9_]+)|\{([A-Za-z0-9_]+)\})")


@lru_cache(maxsize=256)
def compiled(pattern: bytes, raw: bool) -> Any:
    """Return the compiled pattern; `raw` matches byte by byte. Raises Invalid with RE2's reason."""
    import re2

    if len(pattern) > MAX_PATTERN:
        raise Invalid(f"pattern of {len(pattern)} bytes is over the limit of {MAX_PATTERN}", retryable=False)
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY
    if raw:
        options.encoding = re2.Options.Encoding.LATIN1
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise Invalid(f"error parsing regexp: {text}", retryable=False) from None


def compile_pattern(pattern: str | bytes) -> Value:
    """Return {groups, names} of a pattern; `names` begins with the whole match, unnamed ones are empty."""
    if not isinstance(pattern, str | bytes):
        raise Invalid("pattern must be a string", retryable=False)
    expression = compiled(_bytes(pattern), isinstance(pattern, bytes))
    names = [""] * (expression.groups + 1)
    for name, index in expression.groupindex.items():
        names[index] = _text(name)
    return {"groups": expression.groups, "names": names}


def match_string(pattern: str | bytes, text: str | bytes) -> Value:
    """Return whether the pattern matches anywhere in `text`."""
    return _search(pattern, text) is not None


def find(pattern: str | bytes, text: str | bytes) -> Value:
    """Return the first match or None."""
    match = _search(pattern, text)
    return match[0] if match else None


def find_all(pattern: str | bytes, text: str | bytes) -> Value:
    """Return all matches that do not overlap."""
    return [match[0] for match in _matches(pattern, text)]


def find_submatch(pattern: str | bytes, text: str | bytes) -> Value:
    """Return the first match and its groups (empty where a group took no part), or None."""
    match = _search(pattern, text)
    return _with_groups(match) if match else None


def find_all_submatch(pattern: str | bytes, text: str | bytes) -> Value:
    """Return every match with its groups."""
    return [_with_groups(match) for match in _matches(pattern, text)]


def find_index(pattern: str | bytes, text: str | bytes) -> Value:
    """Return [first, last] byte of the first match, fit for `string.sub`, or None."""
    match = _search(pattern, text)
    return [match.start() + 1, match.end()] if match else None


def find_all_index(pattern: str | bytes, text: str | bytes) -> Value:
    """Return [first, last] of every match, or None when there is none."""
    return [[match.start() + 1, match.end()] for match in _matches(pattern, text)] or None


def replace_all(pattern: str | bytes, text: str | bytes, replacement: str | bytes) -> Value:
    """Return `text` with every match replaced; `$1`, `${name}` and `$$` are expanded in `replacement`."""
    template, data = _bytes(replacement), _bytes(text)
    parts: list[bytes] = []
    end = 0
    for match in _matches(pattern, text):
        parts.append(data[end : match.start()])
        parts.append(_expand(template, match))
        end = match.end()
    parts.append(data[end:])
    return _bounded(b"".join(parts))


def split(pattern: str | bytes, text: str | bytes, limit: int) -> Value:
    """Return the parts between the matches; at most `limit` parts when it is not negative."""
    data = _bytes(text)
    if limit == 0:
        return []
    parts: list[Value] = []
    end = 0
    for match in _matches(pattern, text):
        if 0 < limit <= len(parts) + 1:
            break
        if match.end() == 0 or (match.start() == match.end() == len(data)):
            continue  # an empty match at either end separates nothing
        parts.append(data[end : match.start()])
        end = match.end()
    parts.append(data[end:])
    return parts


def _bytes(text: str | bytes) -> bytes:
    if not isinstance(text, str | bytes):
        raise Invalid("argument must be a string", retryable=False)
    return text.encode("utf-8") if isinstance(text, str) else text


def _text(name: str | bytes) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else name


def _expression(pattern: str | bytes, text: str | bytes) -> Any:
    return compiled(_bytes(pattern), isinstance(pattern, bytes) or isinstance(text, bytes))


def _search(pattern: str | bytes, text: str | bytes) -> Any:
    return _expression(pattern, text).search(_bytes(text))


def _matches(pattern: str | bytes, text: str | bytes) -> Iterator[Any]:
    # RE2's own iterator would give an empty match right after a match; the field's rule gives none there.
    previous = -1
    for count, match in enumerate(_expression(pattern, text).finditer(_bytes(text))):
        if count >= MAX_MATCHES:
            raise Invalid(f"more than {MAX_MATCHES} matches: split the text first", retryable=False)
        if match.start() == match.end() == previous:
            continue
        previous = match.end()
        yield match


def _with_groups(match: Any) -> list[Value]:
    return [match[0], *(group if group is not None else "" for group in match.groups())]


def _expand(template: bytes, match: Any) -> bytes:
    indexes = {_text(name): index for name, index in match.re.groupindex.items()}

    def value(reference: re.Match[bytes]) -> bytes:
        if reference[1]:
            return b"$"
        name = (reference[2] or reference[3]).decode()
        index = int(name[:9]) if name.isdigit() else indexes.get(name, -1)
        return match.group(index) or b"" if 0 <= index <= match.re.groups else b""

    return _REFERENCE.sub(value, template)


def _bounded(data: bytes) -> bytes:
    from runtime.core.wire import MAX_BYTES

    if len(data) >= MAX_BYTES:
        raise Invalid(f"result of {len(data)} bytes is over the limit of {MAX_BYTES}", retryable=False)
    return data
