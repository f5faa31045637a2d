"""The module `base64`: the standard alphabet of RFC 4648 with padding, in both directions."""

from __future__ import annotations

import binascii
import re

from runtime.core.errors import Invalid
from runtime.core.values import Value
from runtime.lua.module import module_from_folder

MAX_BYTES = 11 * 1024 * 1024
"""What is encoded grows by a third and must still cross to Lua."""

_WRONG = re.compile(rb"[^A-Za-z0-9+/=]")


def encode(data: object) -> Value:
    """Return `data` in base64."""
    if not isinstance(data, str | bytes):
        raise Invalid("data must be a string", retryable=False)
    raw = data.encode("utf-8") if isinstance(data, str) else data
    if len(raw) > MAX_BYTES:
        raise Invalid(f"data of {len(raw)} bytes is over the limit of {MAX_BYTES}", retryable=False)
    return binascii.b2a_base64(raw, newline=False).decode("ascii")


def decode(text: object) -> Value:
    """Return the bytes of a base64 text; line ends inside it are skipped.

    Raises Invalid with the first byte that does not belong, or for wrong padding.
    """
    if not isinstance(text, str | bytes):
        raise Invalid("data must be a string", retryable=False)
    raw = text.encode("utf-8") if isinstance(text, str) else text
    data = raw.replace(b"\r", b"").replace(b"\n", b"")
    wrong = _WRONG.search(data)
    if wrong:
        raise Invalid(f"illegal base64 data at input byte {wrong.start()}", retryable=False)
    try:
        return binascii.a2b_base64(data, strict_mode=True)
    except binascii.Error:
        raise Invalid(
            "illegal base64 data: the length or the padding with `=` is wrong", retryable=False
        ) from None


MODULE = module_from_folder(
    __file__,
    functions={"encode": encode, "decode": decode},
    page="lua/data/base64",
    summary="Base64 of text and bytes, in both directions.",
    classes=("encoding", "deterministic"),
)
