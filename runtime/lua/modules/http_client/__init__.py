"""The module `http_client`: requests to hosts that policy allows; the host sends them and asks the policy."""

from __future__ import annotations

import re
from urllib.parse import quote_plus, unquote_to_bytes

from runtime.core.errors import Invalid
from runtime.core.values import Value
from runtime.lua.module import module_from_folder
from runtime.lua.modules.time.durations import parse_duration

MAX_TEXT = 4 * 1024 * 1024
_BROKEN_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")


def encode_uri(text: object) -> Value:
    """Return `text` escaped for a query: a blank becomes `+`."""
    return quote_plus(_bounded(text), safe="")


def decode_uri(text: object) -> Value:
    """Return the text that was escaped for a query; raise Invalid for a broken escape."""
    data = _bounded(text)
    broken = _BROKEN_ESCAPE.search(data)
    if broken:
        shown = data[broken.start() : broken.start() + 3].decode("utf-8", "replace")
        raise Invalid(f"invalid URL escape `{shown}`", retryable=False)
    return unquote_to_bytes(data.replace(b"+", b" "))


def timeout_seconds(value: object) -> Value:
    """Return seconds of a number of seconds or a duration such as `1m30s`; raise Invalid for neither."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = float(value)
    else:
        nanoseconds = parse_duration(value)  # type: ignore[arg-type]
        assert isinstance(nanoseconds, int)
        seconds = nanoseconds / 1e9
    if not 0 < seconds < 86_400:
        raise Invalid("timeout must be more than 0 and less than 24h", retryable=False)
    return seconds


def _bounded(text: object) -> bytes:
    if not isinstance(text, str | bytes):
        raise Invalid("argument must be a string", retryable=False)
    data = text.encode("utf-8") if isinstance(text, str) else text
    if len(data) > MAX_TEXT:
        raise Invalid(f"text of {len(data)} bytes is over the limit of {MAX_TEXT}", retryable=False)
    return data


MODULE = module_from_folder(
    __file__,
    functions={"encode_uri": encode_uri, "decode_uri": decode_uri, "timeout_seconds": timeout_seconds},
    page="lua/http/client",
    summary="HTTP requests: get, post and the other methods, batches, query escapes.",
    classes=("network", "io", "nondeterministic"),
    commands=("http_client.request",),
)
